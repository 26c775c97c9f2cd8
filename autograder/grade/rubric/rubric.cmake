# SPDX-License-Identifier: MIT
# Turns labs/<lab>/rubric.json into C tables with CMake's own JSON reader: the rubric (rubric.h), or with STEPS the
# lab's steps (kl_step_info, problem.h), which so are listed once. The rest of a step's name is that of its file.
#   cmake -DINPUT=rubric.json [-DMODELLED=labs/modelled.json] -DOUTPUT=rubric_02_reduction.c -DNAME=02_reduction -P rubric.cmake
#   cmake -DINPUT=rubric.json [-DEXECUTED=labs/warp_instructions.csv] -DSTEPS=steps.h -DNAME=02_reduction -P rubric.cmake
# An unknown key, a missing one or a value of the wrong type stops the build with the place named.
cmake_minimum_required(VERSION 3.22)

include(${CMAKE_CURRENT_LIST_DIR}/json_table.cmake)
read_json(json "ladder.rubric/1")

# How speed criteria are graded where times are modelled, if that says it of this lab (docs/tools/modelled_main.c).
set(modelled "{}")
set(modelled_of 0)
if(MODELLED)
  file(READ "${MODELLED}" modelled)
  string(JSON modelled ERROR_VARIABLE unmodelled GET "${modelled}" labs ${NAME})
endif()
if(MODELLED AND NOT unmodelled)
  string(JSON modelled_of ERROR_VARIABLE absent GET "${modelled}" rubric) # speed_hash.h
  if(absent)
    set(modelled_of "") # of no rubric: grading says what to do
  endif()
  quote(modelled_of "${modelled_of}")
else()
  set(modelled "{}")
endif()

# A table `name` of C initialisers in `rows` and the members ".<member> = <name>, .<member>_count = <count>"; nothing when
# there are none.
function(convert_table out rows count name type member)
  set(members "")
  if(count GREATER 0)
    set(tables "${tables}static const ${type} ${name}[] = {\n${rows}};\n" PARENT_SCOPE)
    set(members ", .${member} = ${name}, .${member}_count = ${count}")
  endif()
  set(${out} "${members}" PARENT_SCOPE)
endfunction()

# What must hold besides a count: the criterion's "with".
function(convert_with out text where name)
  get(list "${text}" "${where}" with ARRAY "[]")
  string(JSON count LENGTH "${list}")
  set(rows "")
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON bound GET "${list}" ${i})
      math(EXPR nth "${i} + 1")
      set(there "${where}, with ${nth}")
      check_keys("${bound}" "${there}" text counter per family size full zero)
      get(words "${bound}" "${there}" text STRING REQUIRED)
      get(counter "${bound}" "${there}" counter STRING REQUIRED)
      get(per "${bound}" "${there}" per STRING "call")
      get(family "${bound}" "${there}" family STRING "")
      get(size "${bound}" "${there}" size NUMBER 0)
      get(full "${bound}" "${there}" full NUMBER REQUIRED)
      get(zero "${bound}" "${there}" zero NUMBER REQUIRED)
      quote(family "${family}")
      quote(words "${words}")
      quote(counter "${counter}")
      quote(per "${per}")
      string(APPEND rows "    {${words}, ${counter}, ${per}, ${family}, INT64_C(${size}), ${full}, ${zero}},\n")
    endforeach()
  endif()
  convert_table(members "${rows}" "${count}" "${name}" ladder_bound with)
  set(tables "${tables}" PARENT_SCOPE)
  set(${out} "${members}" PARENT_SCOPE)
endfunction()

# How a speed criterion, named by `key`, is graded where times are modelled.
function(convert_modelled out key name)
  string(JSON entry ERROR_VARIABLE absent GET "${modelled}" criteria "${key}")
  if(absent)
    set(${out} "" PARENT_SCOPE)
    return()
  endif()
  get(reason "${entry}" "${key}" left_out STRING "")
  if(reason)
    quote(reason "${reason}")
    set(${out} ", .unmodelled = ${reason}" PARENT_SCOPE)
    return()
  endif()
  get(size "${entry}" "${key}" size NUMBER REQUIRED)
  get(devices "${entry}" "${key}" devices ARRAY REQUIRED)
  string(JSON count LENGTH "${devices}")
  math(EXPR last "${count} - 1")
  set(rows "")
  foreach(i RANGE ${last})
    string(JSON device GET "${devices}" ${i})
    get(id "${device}" "${key}" device STRING REQUIRED)
    get(over_us "${device}" "${key}" over_us NUMBER REQUIRED)
    get(full "${device}" "${key}" full NUMBER REQUIRED)
    get(zero "${device}" "${key}" zero NUMBER REQUIRED)
    quote(id "${id}")
    string(APPEND rows "    {${id}, INT64_C(${size}), ${over_us}, ${full}, ${zero}},\n")
  endforeach()
  convert_table(members "${rows}" "${count}" "${name}" ladder_modelled modelled)
  set(tables "${tables}" PARENT_SCOPE)
  set(${out} "${members}" PARENT_SCOPE)
endfunction()

# "hidden" takes a count or a prediction out of what `ladder handout` hands out and out of what students see on a course
# system; grading knows no difference. true: until grades are published there; or a word for when students see it. Not speed:
# the modelled times are of all speed criteria together.
function(convert_hidden out text where)
  set(${out} "" PARENT_SCOPE)
  string(JSON type ERROR_VARIABLE absent TYPE "${text}" hidden)
  if(absent)
    return()
  endif()
  string(JSON word GET "${text}" hidden)
  if(type STREQUAL "BOOLEAN" AND word)
    set(word after_published)
  elseif(type STREQUAL "BOOLEAN")
    return()
  elseif(NOT type STREQUAL "STRING" OR NOT word MATCHES "^(after_published|after_due_date|hidden)$")
    fail("${where}" "\"hidden\" is true, false, after_published, after_due_date or hidden, not \"${word}\""
         "\"hidden\"[ \t]*:[ \t]*\"?${word}")
  endif()
  set(${out} ", .hidden = \"${word}\"" PARENT_SCOPE)
endfunction()

# One criterion as a C initialiser; `name` is free for tables of its own, which are added to `tables`.
function(convert_criterion out text where step name)
  get(kind "${text}" "${where}" kind STRING REQUIRED)
  get(points "${text}" "${where}" points NUMBER REQUIRED)
  get(words "${text}" "${where}" text STRING "")
  quote(words "${words}")
  if(kind STREQUAL "correct")
    check_keys("${text}" "${where}" kind points text)
    set(${out} "{.kind = LADDER_CRITERION_CORRECT, .points = ${points}, .text = ${words}}" PARENT_SCOPE)
    return()
  endif()
  if(kind STREQUAL "predicted")
    check_keys("${text}" "${where}" kind points text hidden)
    convert_hidden(hidden "${text}" "${where}")
    set(${out} "{.kind = LADDER_CRITERION_PREDICTED, .points = ${points}, .text = ${words}${hidden}}" PARENT_SCOPE)
    return()
  endif()
  if(kind STREQUAL "manual")
    fail("${where}" "what a person marks is no part of a rubric: ladder gradebook criterion adds it to a course's lab"
         "\"kind\"[ \t]*:[ \t]*\"${kind}\"")
  endif()
  get(family "${text}" "${where}" family STRING REQUIRED)
  get(size "${text}" "${where}" size NUMBER REQUIRED)
  get(full "${text}" "${where}" full NUMBER REQUIRED)
  get(zero "${text}" "${where}" zero NUMBER REQUIRED)
  quote(family "${family}")
  set(common ".points = ${points}, .text = ${words}, .family = ${family}, .size = INT64_C(${size}), .full = ${full}, .zero = ${zero}")
  if(kind STREQUAL "count")
    check_keys("${text}" "${where}" kind points text counter per family size full zero with hidden)
    get(counter "${text}" "${where}" counter STRING REQUIRED)
    get(per "${text}" "${where}" per STRING "call")
    quote(counter "${counter}")
    quote(per "${per}")
    convert_with(with "${text}" "${where}" "with_${name}")
    convert_hidden(hidden "${text}" "${where}")
    set(${out} "{.kind = LADDER_CRITERION_COUNT, ${common}, .counter = ${counter}, .per = ${per}${with}${hidden}}" PARENT_SCOPE)
  elseif(kind STREQUAL "speed")
    check_keys("${text}" "${where}" kind points text over family size full zero)
    get(over "${text}" "${where}" over NUMBER REQUIRED)
    string(JSON named GET "${text}" family)
    convert_modelled(times "${step}/${over}/${named}/${size}" "modelled_${name}")
    set(${out} "{.kind = LADDER_CRITERION_SPEED, ${common}, .over = ${over}${times}}" PARENT_SCOPE)
  else()
    fail("${where}" "unknown \"kind\" \"${kind}\"; known are: correct, count, speed, predicted"
         "\"kind\"[ \t]*:[ \t]*\"${kind}\"")
  endif()
  set(tables "${tables}" PARENT_SCOPE)
endfunction()

check_keys("${json}" "top" schema lab note watch allow_imports limits app_after_run work_log steps)
get(lab "${json}" "top" lab STRING REQUIRED)
if(NOT lab STREQUAL "${NAME}")
  message(FATAL_ERROR "${INPUT}: \"lab\" is \"${lab}\" but the folder is \"${NAME}\"")
endif()
get(note "${json}" "top" note STRING "")
quote(note "${note}")
get(limits "${json}" "top" limits OBJECT "{}")
check_keys("${limits}" "limits" build_s case_s submission_s instructions read_back plain_share modelled_size) # the last one is for ladder-modelled
get(build_s "${limits}" "limits" build_s NUMBER 0)
get(case_s "${limits}" "limits" case_s NUMBER 0)
get(submission_s "${limits}" "limits" submission_s NUMBER 0)
get(instructions "${limits}" "limits" instructions NUMBER 0)
get(read_back "${limits}" "limits" read_back NUMBER 1024)
get(plain_share "${limits}" "limits" plain_share NUMBER 0.5)
get(app_after_run "${json}" "top" app_after_run BOOLEAN OFF)
to_bool(app_after_run ${app_after_run})
get(work_log "${json}" "top" work_log BOOLEAN OFF)
to_bool(work_log ${work_log})
convert_strings(imports import_count "${json}" "top" allow_imports)

# The numbers to watch, for the lab's program.
get(watches "${json}" "top" watch ARRAY "[]")
set(watch_rows "")
string(JSON watch_count LENGTH "${watches}")
if(watch_count GREATER 0)
  math(EXPR last "${watch_count} - 1")
  foreach(i RANGE ${last})
    string(JSON watch GET "${watches}" ${i})
    check_keys("${watch}" "watch ${i}" step text counter per scale target family size)
    get(number "${watch}" "watch ${i}" step NUMBER REQUIRED)
    get(text "${watch}" "watch ${i}" text STRING REQUIRED)
    get(counter "${watch}" "watch ${i}" counter STRING "")
    get(per "${watch}" "watch ${i}" per STRING "")
    get(scale "${watch}" "watch ${i}" scale NUMBER 1)
    get(target "${watch}" "watch ${i}" target NUMBER "__builtin_nan(\"\")")
    get(size "${watch}" "watch ${i}" size NUMBER 0)
    get(family "${watch}" "watch ${i}" family STRING "")
    if(counter STREQUAL "") # only the lab's page has it: no simulator counts it
      math(EXPR watch_count "${watch_count} - 1")
      continue()
    endif()
    quote(text "${text}")
    quote(counter "${counter}")
    quote(per "${per}")
    quote(family "${family}")
    string(APPEND watch_rows
      "    {${number}, ${text}, ${counter}, ${per}, ${scale}, ${target}, INT64_C(${size}), ${family}},\n")
  endforeach()
endif()
if(watch_count EQUAL 0)
  set(watch_rows "    {0, 0, 0, 0, 0, 0, 0, 0}, // none: C wants a row\n")
endif()

get(steps "${json}" "top" steps ARRAY REQUIRED)
string(JSON step_count LENGTH "${steps}")
set(tables "")
set(criteria_text "")
set(step_rows "")
set(info_rows "")
math(EXPR last_step "${step_count} - 1")
foreach(i RANGE ${last_step})
  string(JSON step GET "${steps}" ${i})
  get(number "${step}" "step ${i}" step NUMBER REQUIRED)
  set(where "step ${number}")
  check_keys("${step}" "${where}" step file given needs reason criteria)
  get(file "${step}" "${where}" file STRING REQUIRED)
  get(reason "${step}" "${where}" reason STRING REQUIRED)
  if(NOT file MATCHES "^${number}_([a-z][a-z0-9_]*)\\.cu$")
    fail("${where}" "\"file\" must be ${number}_name.cu, not \"${file}\"" "\"file\"[ \t]*:[ \t]*\"${file}\"")
  endif()
  set(name "${CMAKE_MATCH_1}")
  get(given "${step}" "${where}" given BOOLEAN OFF)
  get(needs "${step}" "${where}" needs OBJECT "{}")
  check_keys("${needs}" "${where}, needs" sm exact cuda)
  get(needs_sm "${needs}" "${where}, needs" sm NUMBER 0)
  get(needs_exact "${needs}" "${where}, needs" exact BOOLEAN OFF)
  if(needs_exact AND NOT needs_sm EQUAL 90)
    fail("${where}, needs" "\"exact\" goes with \"sm\": 90")
  endif()
  to_bool(needs_exact ${needs_exact})
  get(needs_cuda "${needs}" "${where}, needs" cuda NUMBER 0)
  get(criteria "${step}" "${where}" criteria ARRAY REQUIRED)
  quote(file "${file}")
  to_bool(given ${given})
  string(JSON count LENGTH "${criteria}")
  set(rows "")
  math(EXPR last "${count} - 1")
  foreach(c RANGE ${last})
    string(JSON criterion GET "${criteria}" ${c})
    math(EXPR nth "${c} + 1") # as reports count them
    convert_criterion(row "${criterion}" "${where}, criterion ${nth}" "${number}" "${number}_${c}")
    string(APPEND rows "    ${row},\n")
  endforeach()
  string(APPEND criteria_text "static const ladder_criterion criteria_${number}[] = {\n${rows}};\n")
  string(APPEND step_rows "    {${number}, ${file}, ${given}, criteria_${number}, ${count}},\n")
  quote(reason "${reason}")
  string(APPEND info_rows "    {${number}, \"${name}\", ${reason}, ${given}, ${needs_sm}, ${needs_cuda}, ${needs_exact}},\n")
endforeach()

if(STEPS)
  set(executed_rows "")
  set(executed_count 0)
  if(EXECUTED)
    file(STRINGS "${EXECUTED}" rows REGEX "^${NAME},")
    list(LENGTH rows executed_count)
    foreach(row IN LISTS rows)
      string(REGEX REPLACE "^[^,]+,([0-9]+),([^,]+),(.*)" "    {\\1, \"\\2\", \\3},\n" row "${row}")
      string(APPEND executed_rows "${row}")
    endforeach()
  endif()
  if(executed_count EQUAL 0)
    set(executed_rows "    {0, 0, 0},\n")
  endif()
  file(WRITE "${STEPS}.new"
"// Made from rubric.json by rubric.cmake; do not edit. The lab's steps, for its problem.c alone.
static const kl_step_info steps[] = {
${info_rows}};
enum { KL_WATCH_COUNT = ${watch_count} };
static const kl_watch watches[] = {
${watch_rows}};
enum { KL_EXECUTED_COUNT = ${executed_count} };
static const kl_executed executed[] = {
${executed_rows}};
")
  file(RENAME "${STEPS}.new" "${STEPS}")
  return()
endif()

file(SHA256 "${INPUT}" hash)
if(MODELLED AND NOT unmodelled)
  string(SHA256 modelled_hash "${modelled}")
  string(SHA256 hash "${hash}${modelled_hash}")
endif()
file(WRITE "${OUTPUT}.new"
"// Made from rubric.json by rubric.cmake; do not edit.
#include \"grade/rubric/rubric.h\"

static const char *const allow_imports[] = {${imports}0};
${tables}${criteria_text}static const ladder_rubric_step steps[] = {
${step_rows}};

extern const ladder_rubric ladder_rubric_${NAME};
const ladder_rubric ladder_rubric_${NAME} = {
    .note = ${note},
    .hash = \"${hash}\",
    .modelled_of = ${modelled_of},
    .allow_imports = allow_imports,
    .allow_import_count = ${import_count},
    .build_s = ${build_s},
    .case_s = ${case_s},
    .submission_s = ${submission_s},
    .instructions = UINT64_C(${instructions}),
    .read_back_bytes = UINT64_C(${read_back}),
    .plain_share = ${plain_share},
    .work_log = ${work_log},
    .app_after_run = ${app_after_run},
    .steps = steps,
    .step_count = ${step_count},
};
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
