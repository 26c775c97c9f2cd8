# SPDX-License-Identifier: MIT
# Who is meant: sheets, the matcher, groups and times.
foreach(part csv match)
  ladder_unit_test(people people_${part} people/${part}.c)
endforeach()
