// ladder devices: the cards that the simulator has, and one of them as the text that --device FILE
// reads.
#include "commands/command.h"
#include "device/device.h"

static const ladder_usage usage = {
    "ladder devices [NAME|FILE]",
    "Lists the cards that the simulator has. With a name it prints all numbers of\n"
    "that card with their sources, in the format of a file for --device: change what\n"
    "differs and give the file instead of a name. A file is read and checked.",
    "  ladder devices\n"
    "  ladder devices k40 >k20x.txt; ladder run reduction --device ./k20x.txt",
};

static void put_list(void) {
    char names[256], *rest = NULL;
    printf("%-9s %-26s %-10s %5s %6s %7s %9s\n", "name", "card", "compute", "SMs", "MHz", "L2 MiB",
           "read GB/s");
    snprintf(names, sizeof names, "%s", sim_device_names());
    for (char *id = strtok_r(names, ", ", &rest); id; id = strtok_r(NULL, ", ", &rest)) {
        const sim_device *d = sim_device_find(id);
        printf("%-9s %-26s %u.%-8u %5u %6u %7.1f %9.0f\n", id, d->name, d->compute_major,
               d->compute_minor, d->sm_count, d->clock_mhz, (double)d->l2_bytes / 1048576,
               d->read_gbs);
    }
    puts("\nEach takes --device NAME; a card of your own is a file: ladder devices --help");
}

int ladder_cmd_devices(int argc, char **argv) {
    ladder_arguments arguments;
    int code = LADDER_EXIT_OK;
    if (!ladder_command_begin(&usage, NULL, 0, argc, argv, &arguments, &code)) return code;
    if (arguments.count > 1) return ladder_command_misused(argv[0], "expected one card or none");
    if (arguments.count == 0) {
        put_list();
        return LADDER_EXIT_OK;
    }
    const sim_device *device;
    kl_error found = {0}, err = {KL_OK, ""};
    if (sim_device_open(arguments.positional[0], &device, &found) == SIM_OK) {
        sim_device_write(stdout, device);
        return LADDER_EXIT_OK;
    }
    char plain[KL_ERROR_TEXT];
    ladder_plain(found.text, false, plain, sizeof plain);
    kl_fail(&err, KL_ERROR_USAGE, "%s", plain);
    return ladder_command_fail(argv[0], &err);
}
