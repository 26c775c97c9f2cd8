// Reading and writing other people's files from in the sandbox, and planting files of one's own.
#include "../in_sandbox.h"

static bool reads(const attack_setup *setup, const char *path) {
    return in_sandbox_run(setup, "reads", &(in_sandbox){.argument = path});
}

// attack: Reads the list of the machine's users.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: it reads the file
ATTACK(reads_users) { return reads(setup, "/etc/passwd"); }

// attack: Reads a secret of the judge's by its path.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: it reads the secret
ATTACK(reads_secret_by_path) {
    char path[LADDER_PATH];
    in_sandbox_secret(setup, 0644, path);
    return reads(setup, path);
}

// attack: Reads the lab's solution in the kit's folder.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such file
// gains: it reads the solution
ATTACK(reads_solution) {
    char path[LADDER_PATH];
    ladder_path(path, NULL, "%s/solutions/02_reduction/steps/3_sequential.cu", setup->kit->source);
    if (!ladder_file_exists(path)) ATTACK_SKIP("a kit without solutions");
    return reads(setup, path);
}

// attack: Reads what belongs to root and lies where it may look.
// stopped by: SANDBOX_OWN_USER
// expect: the job's user owns nothing and may not read it
// gains: it reads the file
ATTACK(reads_as_root) {
    char path[LADDER_PATH];
    in_sandbox_needs_root();
    in_sandbox_secret(setup, 0600, path);
    return in_sandbox_run(setup, "reads", &(in_sandbox){.argument = path, .also = {path}});
}

// attack: Lists the folder in which submissions lie.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such folder
// gains: it sees the names
ATTACK(lists_submissions) {
    char path[LADDER_PATH];
    in_sandbox_secret(setup, 0644, path);
    return in_sandbox_run(setup, "lists", &(in_sandbox){.argument = setup->work});
}

// attack: Looks at the kernel's view of the machine in /proc.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: /proc is empty
// gains: it reads it
ATTACK(reads_proc) { return reads(setup, "/proc/version"); }

// attack: Looks for devices of the machine in /sys.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER
// expect: there is no such folder
// gains: it sees them
ATTACK(lists_devices) {
    return in_sandbox_run(setup, "lists", &(in_sandbox){.argument = "/sys/class"});
}

// attack: Writes a file where every user may, to find it again in a later run.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER, SANDBOX_LANDLOCK
// expect: there is no /tmp
// gains: the file is there
ATTACK(writes_to_tmp) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/ladder-attack-%d", (int)getpid());
    bool through = in_sandbox_run(setup, "writes", &(in_sandbox){.argument = path});
    return unlink(path) == 0 && through;
}

// attack: Overwrites a file of the kit, whose rights would allow it.
// stopped by: SANDBOX_ROOT, SANDBOX_OWN_USER, SANDBOX_LANDLOCK
// expect: what it sees is read-only
// gains: the file is changed
ATTACK(overwrites_the_kit) {
    char path[LADDER_PATH];
    in_sandbox_secret(setup, 0666, path);
    return in_sandbox_run(setup, "overwrites", &(in_sandbox){.argument = path, .also = {path}});
}

// attack: Looks for files that the judge has open.
// stopped by: design
// expect: no descriptor but those that it was given
// gains: it reads what the judge has open
ATTACK(finds_open_descriptor) {
    char path[LADDER_PATH];
    in_sandbox_secret(setup, 0600, path);
    int fd = open(path, O_RDONLY); // not closed on exec
    ATTACK_MUST(fd >= 0, "no secret");
    return in_sandbox_run(setup, "finds_open_descriptor", &(in_sandbox){.fd = 0});
}

// What lies in the program's real folder after its end, by lstat; false: nothing.
static bool lies(const attack_setup *setup, const char *name, struct stat *out_info) {
    char folder[LADDER_PATH], path[LADDER_PATH + 32];
    in_sandbox_folder(setup, folder);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return lstat(path, out_info) == 0;
}

// attack: Leaves a link to a secret where the judge expects its output.
// stopped by: SANDBOX_FILES
// expect: nothing comes back
// gains: the judge's folder holds the link
ATTACK(plants_link) {
    struct stat info;
    in_sandbox_run(setup, "plants_link", &(in_sandbox){.argument = "/etc/passwd"});
    return lies(setup, "out", &info) && S_ISLNK(info.st_mode);
}

// attack: Leaves a pipe where the judge expects its output, so that the judge waits for ever.
// stopped by: SANDBOX_FILES
// expect: nothing comes back
// gains: the judge's folder holds the pipe
ATTACK(plants_pipe) {
    struct stat info;
    in_sandbox_run(setup, "plants_pipe", &(in_sandbox){.fd = 0});
    return lies(setup, "out", &info) && S_ISFIFO(info.st_mode);
}

// attack: Leaves a folder where the judge expects its output.
// stopped by: SANDBOX_FILES
// expect: nothing comes back
// gains: the judge's folder holds it
ATTACK(plants_folder) {
    struct stat info;
    in_sandbox_run(setup, "plants_folder", &(in_sandbox){.fd = 0});
    return lies(setup, "out", &info) && S_ISDIR(info.st_mode);
}

// attack: Leaves a program that runs with the rights of its owner.
// stopped by: SANDBOX_FILES
// expect: nothing but bytes comes back
// gains: such a program lies on the disk
ATTACK(plants_set_user_id) {
    struct stat info;
    in_sandbox_run(setup, "plants_set_user_id", &(in_sandbox){.fd = 0});
    return lies(setup, "out", &info) && (info.st_mode & S_ISUID) != 0;
}

// attack: Leaves a note in its folder for its next run, such as the answer of the first call.
// stopped by: SANDBOX_FILES
// expect: every run has fresh files
// gains: the next run reads the note
ATTACK(leaves_note_for_next_run) {
    bool left = in_sandbox_run(setup, "leaves_note", &(in_sandbox){.fd = 0});
    ATTACK_MUST(left, "it could not write in its own folder");
    return in_sandbox_run(setup, "finds_note", &(in_sandbox){.fd = 0});
}
