// The work of an array job comes back as it was written, whatever names are in it; a damaged one is
// refused; and the job's script keeps hostile paths in their places.
#include "course/slurm/slurm.h"

#include "suite.h"

static kl_error err;

static char folder[LADDER_PATH], path[LADDER_PATH];

static void make_folder(void) {
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/work.txt", folder), KL_OK);
}

static void drop_folder(void) { ladder_folder_remove(folder); }

static const char *const hostile[] = {"plain", "a b", "new\nline", "100%41", "\xff\x01-\xc3\xa9",
                                      ""};
enum { HOSTILE = sizeof hostile / sizeof hostile[0] };

static ladder_points_change changes[HOSTILE];

static void make_work(ladder_slurm_work *work, ladder_submission *list) {
    memset(list, 0, HOSTILE * sizeof *list);
    for (int i = 0; i < HOSTILE; i++) {
        snprintf(list[i].id, sizeof list[i].id, "id-%d", i);
        snprintf(list[i].path, sizeof list[i].path, "/in/%s", hostile[i]);
        snprintf(list[i].title, sizeof list[i].title, "%s", hostile[i]);
        snprintf(list[i].name, sizeof list[i].name, "%s", hostile[i]);
        snprintf(list[i].note, sizeof list[i].note, "%s", hostile[HOSTILE - 1 - i]);
        snprintf(list[i].problem, sizeof list[i].problem, "%s", hostile[(i + 2) % HOSTILE]);
        changes[i] = (ladder_points_change){.late_days = i,
                                            .slip_days = i / 2,
                                            .late_share = 0.1 * i,
                                            .late_points = 1.0 / 3 * i,
                                            .due_s = 1795219140.5 * i,
                                            .overridden = i == 2,
                                            .override = i == 2 ? 4.5 : 0};
        snprintf(changes[i].late_rule, sizeof changes[i].late_rule, "%.100s", hostile[i]);
        list[i].is_file = i % 2 == 1;
        list[i].refused = i == 3;
    }
    *work = (ladder_slurm_work){.seed = 0xfedcba9876543210u,
                                .chunk = 4,
                                .list = list,
                                .changes = changes,
                                .count = HOSTILE};
}

KL_FIXTURE(make_folder, drop_folder)

KL_TEST(comes_back) {
    static ladder_submission list[HOSTILE];
    ladder_slurm_work work, back;
    make_work(&work, list);
    ck_assert_int_eq(ladder_slurm_work_write(path, &work, &err), KL_OK);
    for (uint64_t task = 0; task < 2; task++) {
        ck_assert_int_eq(ladder_slurm_work_read(path, task, &back, &err), KL_OK);
        ck_assert_uint_eq(back.seed, work.seed);
        ck_assert_uint_eq(back.count, task == 0 ? 4 : HOSTILE - 4);
        ck_assert_mem_eq(back.list, list + 4 * task, back.count * sizeof *list);
        for (size_t i = 0; i < back.count; i++) {
            const ladder_points_change *was = &changes[4 * task + i];
            ck_assert_int_eq(back.changes[i].late_days, was->late_days);
            ck_assert_int_eq(back.changes[i].overridden, was->overridden);
            ck_assert_int_eq(back.changes[i].slip_days, was->slip_days);
            ck_assert(back.changes[i].late_share == was->late_share);
            ck_assert(back.changes[i].late_points == was->late_points);
            ck_assert_str_eq(back.changes[i].late_rule, was->late_rule);
            ck_assert(back.changes[i].due_s == was->due_s);
            ck_assert(back.changes[i].override == was->override);
        }
        free(back.list);
        free(back.changes);
    }
    uint64_t seed = 0;
    ck_assert(ladder_slurm_work_seed(path, &seed) && seed == work.seed);
    ck_assert_int_eq(ladder_slurm_work_read(path, 2, &back, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_slurm_work_read(path, UINT64_MAX, &back, &err), KL_ERROR_INPUT);
}

KL_TEST(damage_is_refused) {
    static const char *const damaged[] = {
        "",
        "ladder.work/3",
        "ladder.work/3 3 0 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a a a     \n",
        "ladder.work/3 3 1 2\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a a a     \n",
        "ladder.work/3 3 1 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a a a    \n",
        "ladder.work/3 3 1 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a a a      \n",
        "ladder.work/3 3 1 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a %4 a     \n",
        "ladder.work/3 3 1 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a  a a     \n",
        "ladder.work/3 3 1 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a a a     "};
    ladder_slurm_work back;
    for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
        uint64_t last = i == 3 ? 1 : 0;
        ck_assert_int_eq(ladder_file_write(path, damaged[i], strlen(damaged[i]), &err), KL_OK);
        ck_assert_msg(ladder_slurm_work_read(path, last, &back, &err) == KL_ERROR_INPUT, "%s",
                      damaged[i]);
        ck_assert_ptr_null(back.list);
    }
    const char *good = "ladder.work/3 3 1 1\n0 0 0 0x0p+0 0x0p+0 0x0p+0 0x0p+0 /a a a a     \n";
    ck_assert_int_eq(ladder_file_write(path, good, strlen(good), &err), KL_OK);
    ck_assert_int_eq(ladder_slurm_work_read(path, 0, &back, &err), KL_OK);
    free(back.list);
    free(back.changes);
}

// What sh makes of the script's last line: the words come back one by one.
KL_TEST(words_stay_words) {
    const char *words[] = {"--export", "it's $(touch no) `x` \"y\" \\"};
    const ladder_slurm_options options = {.partition = "p"};
    ladder_slurm_script script = {.options = &options,
                                  .program = "/bin/printf",
                                  .lab = "%s,",
                                  .folder = folder,
                                  .output = "/o'ut",
                                  .words = words,
                                  .word_count = 2,
                                  .tasks = 3,
                                  .submissions = 3,
                                  .chunk = 1,
                                  .minutes = 7};
    char file[LADDER_PATH], command[LADDER_PATH + 80], said[400] = "";
    ck_assert_int_eq(ladder_path(file, &err, "%s/job.sh", folder), KL_OK);
    FILE *out = fopen(file, "w");
    ck_assert_ptr_nonnull(out);
    ladder_slurm_script_write(&script, out);
    fclose(out);
    snprintf(command, sizeof command, "sed -n 's/^exec .*printf. grade/printf/p' %s | sh", file);
    FILE *in = popen(command, "r");
    ck_assert_ptr_nonnull(in);
    size_t bytes = fread(said, 1, sizeof said - 1, in);
    pclose(in);
    said[bytes] = '\0';
    KL_HAS(said, "/o'ut,--export,it's $(touch no) `x` \"y\" \\,");
}

KL_TEST(values_stay_in_their_line) {
    static const char *const bad[] = {"", "a b", "a\n#SBATCH --uid=0", "$(x)", "a'b"};
    static const char *const wrong_more[] = {"-p"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const ladder_slurm_options options = {.account = bad[i]};
        ck_assert_int_eq(ladder_slurm_options_check(&options, &err), KL_ERROR_USAGE);
    }
    const ladder_slurm_options more = {.more = wrong_more, .more_count = 1};
    ck_assert_int_eq(ladder_slurm_options_check(&more, &err), KL_ERROR_USAGE);
    const ladder_slurm_options good = {.partition = "gpu-a100", .time_limit = "1-00:30:00"};
    ck_assert_int_eq(ladder_slurm_options_check(&good, &err), KL_OK);
}

// Which card a task gets is Slurm's choice: the script asks for as many as were named, and for none
// otherwise.
KL_TEST(a_task_asks_for_its_gpus) {
    for (int64_t gpus = 0; gpus < 3; gpus++) {
        const char *const more[] = {"--qos=teaching"};
        const ladder_slurm_options options = {
            .partition = "p", .gpus = gpus, .more = more, .more_count = 1};
        const ladder_slurm_script script = {.options = &options,
                                            .program = "ladder",
                                            .lab = "reduction",
                                            .folder = folder,
                                            .output = "out",
                                            .tasks = 5,
                                            .submissions = 9,
                                            .chunk = 2,
                                            .minutes = 7};
        char wanted[64];
        char *text =
            KL_PRINTED(out, ck_assert_ptr_nonnull(out); ladder_slurm_script_write(&script, out));
        snprintf(wanted, sizeof wanted, "\n#SBATCH --gres=gpu:%d\n", (int)gpus);
        ck_assert((strstr(text, "--gres") != NULL) == (gpus > 0));
        ck_assert(gpus == 0 || strstr(text, wanted));
        KL_HAS(text, "\n#SBATCH --array=0-4\n", "\n#SBATCH --partition=p\n",
               "\n#SBATCH --qos=teaching\n");
    }
}

KL_TEST_MAIN("slurm")
