# SPDX-License-Identifier: MIT
# Turns labs/<lab>/questions.json into C tables (questions.h); without INPUT it writes those of a lab that has none.
#   cmake -DINPUT=questions.json -DOUTPUT=questions_02_reduction.c -DNAME=02_reduction -P questions.cmake
cmake_minimum_required(VERSION 3.22)
include(${CMAKE_CURRENT_LIST_DIR}/json_table.cmake)

# What is asked about one step: rows of ladder_question, and the step's own row.
function(convert_step out_questions out_row text where)
  check_keys("${text}" "${where}" step family size none ask)
  get(step "${text}" "${where}" step WHOLE REQUIRED)
  get(none "${text}" "${where}" none STRING "")
  if(none STREQUAL "")
    get(family "${text}" "${where}" family STRING REQUIRED)
    get(size "${text}" "${where}" size WHOLE REQUIRED)
    get(ask "${text}" "${where}" ask ARRAY REQUIRED)
    string(JSON count LENGTH "${ask}")
  else()
    set(family "")
    set(size 0)
    set(count 0)
  endif()
  set(rows "")
  if(count GREATER 0)
    math(EXPR last "${count} - 1")
    foreach(i RANGE ${last})
      string(JSON one GET "${ask}" ${i})
      set(here "${where}, question ${i}")
      check_keys("${one}" "${here}" name text unit value size)
      set(row "")
      foreach(key name text unit value)
        get(value "${one}" "${here}" ${key} STRING REQUIRED)
        quote(value "${value}")
        string(APPEND row "${value}, ")
      endforeach()
      get(own_size "${one}" "${here}" size WHOLE 0)
      string(APPEND rows "    {${row}INT64_C(${own_size})},\n")
    endforeach()
  endif()
  quote(none "${none}")
  quote(family "${family}")
  set(${out_questions} "static const ladder_question ask_${step}[] = {\n${rows}    {0, 0, 0, 0, 0},\n};\n" PARENT_SCOPE)
  set(${out_row} "    {${step}, ${family}, INT64_C(${size}), ${none}, ask_${step}, ${count}},\n" PARENT_SCOPE)
endfunction()

# One self-check question: its formulas, and its row.
function(convert_selfcheck out_formulas out_row text index)
  set(where "selfcheck ${index}")
  check_keys("${text}" "${where}" question answer step family size values)
  get(question "${text}" "${where}" question STRING REQUIRED)
  get(answer "${text}" "${where}" answer STRING REQUIRED)
  convert_strings(formulas count "${text}" "${where}" values)
  if(count EQUAL 0)
    check_keys("${text}" "${where} (without \"values\")" question answer values)
    set(step -1)
    set(family "")
    set(size 0)
  else()
    get(step "${text}" "${where}" step WHOLE REQUIRED)
    get(family "${text}" "${where}" family STRING REQUIRED)
    get(size "${text}" "${where}" size WHOLE REQUIRED)
  endif()
  if(count GREATER 4) # LADDER_VALUES_MAX of questions.h
    fail("${where}" "\"values\" has ${count} formulas, more than 4" "^$")
  endif()
  quote(question "${question}")
  quote(answer "${answer}")
  quote(family "${family}")
  set(${out_formulas} "static const char *const values_${index}[] = {${formulas}0};\n" PARENT_SCOPE)
  set(${out_row} "    {${question}, ${answer}, ${step}, ${family}, INT64_C(${size}), values_${index}, ${count}},\n"
      PARENT_SCOPE)
endfunction()

set(tables "")
set(step_rows "")
set(selfcheck_rows "")
set(step_count 0)
set(selfcheck_count 0)
if(INPUT)
  read_json(json "ladder.questions/1")
  check_keys("${json}" "top" schema lab steps selfcheck)
  get(lab "${json}" "top" lab STRING REQUIRED)
  if(NOT lab STREQUAL "${NAME}")
    message(FATAL_ERROR "${INPUT}: \"lab\" is \"${lab}\" but the folder is \"${NAME}\"")
  endif()
  get(steps "${json}" "top" steps ARRAY REQUIRED)
  get(selfcheck "${json}" "top" selfcheck ARRAY "[]")
  string(JSON step_count LENGTH "${steps}")
  string(JSON selfcheck_count LENGTH "${selfcheck}")
  if(step_count GREATER 0)
    math(EXPR last_step "${step_count} - 1")
    foreach(i RANGE ${last_step})
      string(JSON one GET "${steps}" ${i})
      convert_step(questions row "${one}" "steps ${i}")
      string(APPEND tables "${questions}")
      string(APPEND step_rows "${row}")
    endforeach()
  endif()
  if(selfcheck_count GREATER 0)
    math(EXPR last_selfcheck "${selfcheck_count} - 1")
    foreach(i RANGE ${last_selfcheck})
      string(JSON one GET "${selfcheck}" ${i})
      convert_selfcheck(formulas row "${one}" ${i})
      string(APPEND tables "${formulas}")
      string(APPEND selfcheck_rows "${row}")
    endforeach()
  endif()
endif()

file(WRITE "${OUTPUT}.new"
"// Made from questions.json by questions.cmake; do not edit.
#include \"grade/rubric/questions.h\"

${tables}static const ladder_asked steps[] = {
${step_rows}    {0, 0, 0, 0, 0, 0},
};
static const ladder_selfcheck selfchecks[] = {
${selfcheck_rows}    {0, 0, 0, 0, 0, 0, 0},
};

extern const ladder_questions ladder_questions_${NAME};
const ladder_questions ladder_questions_${NAME} = {
    .asked = steps,
    .asked_count = ${step_count},
    .selfchecks = selfchecks,
    .selfcheck_count = ${selfcheck_count},
};
")
file(RENAME "${OUTPUT}.new" "${OUTPUT}")
