// The script of an array job: see slurm.h. It is sh, and what it starts is the kit's own program.
#include "course/slurm/slurm.h"

static kl_status check_value(const char *name, const char *value, kl_error *err) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-.,:+/@=[]&|*%";
    if (!value || (value[0] != '\0' && value[strspn(value, plain)] == '\0')) return KL_OK;
    return kl_fail(err, KL_ERROR_USAGE, "%s cannot be \"%.60s\"", name, value);
}

kl_status ladder_slurm_options_check(const ladder_slurm_options *options, kl_error *err) {
    TRY(check_value("--partition", options->partition, err));
    TRY(check_value("--account", options->account, err));
    TRY(check_value("--time-limit", options->time_limit, err));
    for (int i = 0; i < options->more_count; i++) {
        TRY(check_value("--sbatch", options->more[i], err));
        if (strncmp(options->more[i], "--", 2) != 0)
            return kl_fail(err, KL_ERROR_USAGE,
                           "--sbatch takes a whole option, for example --sbatch=--qos=teaching");
    }
    return KL_OK;
}

// A word for sh, in quotes.
static void put_word(FILE *out, const char *word) {
    fputc('\'', out);
    for (const char *at = word; *at != '\0'; at++)
        if (*at == '\'') fputs("'\\''", out);
        else fputc(*at, out);
    fputc('\'', out);
}

static void put_directives(const ladder_slurm_script *s, FILE *out) {
    const ladder_slurm_options *o = s->options;
    fprintf(out, "#SBATCH --job-name=ladder-%s\n#SBATCH --array=0-%zu\n", s->lab, s->tasks - 1);
    if (o->time_limit) fprintf(out, "#SBATCH --time=%s\n", o->time_limit);
    else fprintf(out, "#SBATCH --time=%ld\n", s->minutes);
    fputs("#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --requeue\n#SBATCH --output=/dev/null\n",
          out);
    if (o->partition) fprintf(out, "#SBATCH --partition=%s\n", o->partition);
    if (o->account) fprintf(out, "#SBATCH --account=%s\n", o->account);
    if (o->gpus > 0) fprintf(out, "#SBATCH --gres=gpu:%lld\n", (long long)o->gpus);
    for (int i = 0; i < o->more_count; i++) fprintf(out, "#SBATCH %s\n", o->more[i]);
}

void ladder_slurm_script_write(const ladder_slurm_script *s, FILE *out) {
    fputs("#!/bin/sh\n", out);
    put_directives(s, out);
    fprintf(
        out,
        "# %zu submission%s, %zu per task. Kit, submissions and results lie in folders that all "
        "nodes share.\n",
        s->submissions, s->submissions == 1 ? "" : "s", s->chunk);
    fputs("exec >>", out);
    put_word(out, s->folder);
    fputs("/log/\"$SLURM_ARRAY_TASK_ID\".txt 2>&1\n"
          "[ -d \"${TMPDIR:-/tmp}\" ] || unset TMPDIR # the login node's may not exist here\n"
          "exec ",
          out);
    put_word(out, s->program);
    fprintf(out, " grade %s --slurm-task ", s->lab);
    put_word(out, s->folder);
    fputs(" --output ", out);
    put_word(out, s->output);
    for (int i = 0; i < s->word_count; i++) {
        fputc(' ', out);
        put_word(out, s->words[i]);
    }
    fputc('\n', out);
}
