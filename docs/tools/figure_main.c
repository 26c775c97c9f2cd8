// SPDX-License-Identifier: MIT
// ladder-figure: draws figures of the handouts as SVG on standard output, from files of counts and times:
//   ladder-figure labs/01_transpose/measured/micro_simulator.json > labs/01_transpose/micro.svg
//   ladder-figure labs/03_occupancy/measured/gpu.json > labs/03_occupancy/in_flight.svg
//   ladder-figure labs/07_gemm/measured/tiles.json > labs/07_gemm/tiles.svg
//   ladder-figure labs/08_spmv/measured/assignment.json > labs/08_spmv/assignment.svg
//   ladder-figure labs/07_gemm/measured/gpu.json square:4096 > labs/07_gemm/ladder.svg
//   ladder-figure --registers > labs/03_occupancy/registers.svg
// It must not draw a number that was neither counted, measured nor computed by the kit's own calculator.
#include "figure.h"

#include <stdbool.h>
#include <string.h>

static const char usage[] =
    "usage: ladder-figure MICRO.json | RUN.json [CASE:SIZE..] | TILES.json | ASSIGNMENT.json |\n"
    "                     --registers\n"
    "The figure goes to standard output. MICRO.json: of ladder run LAB --micro; RUN.json: of\n"
    "ladder run LAB --json on a GPU, with cases: the ladder, without: of lab 03; TILES.json and\n"
    "ASSIGNMENT.json: of the programs gemm_tiles (lab 07) and spmv_assignment (lab 08).\n";

static int draw_file(const char *path, int case_count, char *const *cases) {
    json_error_t error;
    json_t *run = json_load_file(path, 0, &error);
    const char *schema = run ? json_string_value(json_object_get(run, "schema")) : NULL;
    const char *lab = run ? json_string_value(json_object_get(run, "lab")) : NULL;
    int code = 1;
    if (schema && strcmp(schema, "ladder.micro/1") == 0) {
        code = figure_draw_micro(run);
    } else if (schema && strcmp(schema, "ladder.run/1") == 0 && lab && case_count > 0) {
        code = figure_draw_ladder(run, case_count, cases);
    } else if (schema && strcmp(schema, "ladder.run/1") == 0 && lab &&
               strcmp(lab, "occupancy") == 0) {
        code = figure_draw_in_flight(run);
    } else if (schema && strcmp(schema, "ladder.assignment/1") == 0) {
        code = figure_draw_assignment(run);
    } else if (schema && strcmp(schema, "ladder.tiles/1") == 0) {
        code = figure_draw_tiles(run);
    } else {
        fprintf(stderr, "ladder-figure: %s: %s\n", path,
                run ? "neither micro-ladders, nor a run of lab 03, nor tiles, nor an assignment"
                    : error.text);
    }
    json_decref(run);
    return code;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fputs(usage, stderr);
        return 2;
    }
    bool registers = strcmp(argv[1], "--registers") == 0;
    return registers ? figure_draw_registers() : draw_file(argv[1], argc - 2, argv + 2);
}
