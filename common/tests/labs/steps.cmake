# SPDX-License-Identifier: MIT
# The steps of a lab are listed in its lab.json. Its files, its page's table and its hints must know them all, and no
# others. cmake -DLAB=labs/NN_name -DSOLUTION=solutions/NN_name -DDESCRIPTION=description.cmake -P steps.cmake (a handout has no solutions)
cmake_minimum_required(VERSION 3.22)
file(READ ${LAB}/README.md page)
include(${DESCRIPTION}) # what ladder-lab makes of lab.json
foreach(file IN LISTS lab_steps)
  string(REGEX REPLACE "^([0-9]+)_(.*)\\.cu$" "\\1 \\2" title "${file}")
  if(NOT page MATCHES "\n\\| ${title} \\|")
    message(SEND_ERROR "${LAB}/README.md: no row \"| ${title} |\" of ${file} in lab.json")
  endif()
endforeach()

# That two lists hold the same.
function(expect_same what found wanted)
  list(SORT found)
  list(SORT wanted)
  if(NOT "${found}" STREQUAL "${wanted}")
    message(SEND_ERROR "${what}: ${found}\nbut lab.json has ${wanted}")
  endif()
endfunction()

file(GLOB found RELATIVE ${LAB}/steps ${LAB}/steps/*.cu)
expect_same(${LAB}/steps "${found}" "${lab_steps}")
if(EXISTS ${SOLUTION})
  file(GLOB found RELATIVE ${SOLUTION}/steps ${SOLUTION}/steps/*.cu)
  expect_same(${SOLUTION}/steps "${found}" "${lab_steps}")
endif()
file(STRINGS ${LAB}/hints.md found REGEX "^## Step [0-9]+$")
list(TRANSFORM found REPLACE "^## Step " "")
expect_same(${LAB}/hints.md "${found}" "${lab_numbers}")
