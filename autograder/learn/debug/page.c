// The page of a recording: see debug.h. What a program may have influenced (source, names, values)
// is data, which replay.js writes as text.
#include "learn/debug/internal.h"
#include "grade/submission/submission.h"
#include "show/page/page.h"
#include "show/report/report.h"

// A line that only the skeleton's maker reads is null: the page leaves it out.
static void page_put_line(const char *text, FILE *out) {
    char clean[4096];
    const char *word = text + strspn(text, " \t");
    if (strncmp(word, LADDER_SOLUTION_MARKER, sizeof LADDER_SOLUTION_MARKER - 1) == 0) {
        fputs("null", out);
        return;
    }
    ladder_plain(text, true, clean, sizeof clean);
    record_string(out, clean);
}

// Lines of a file that the kit or the compiler names; nothing when it cannot be read.
static void page_put_file(const recorder *r, const char *file, FILE *out) {
    char path[2 * LADDER_PATH], *text = NULL;
    size_t capacity = 0;
    const size_t most = 200000; // of a file, so that the page keeps its size
    size_t used = 0;
    FILE *in = fopen(file, "r");
    snprintf(path, sizeof path, "%s/%s", r->t->kit->source, file);
    if (!in && file[0] != '/') in = fopen(path, "r");
    fputs("{\"name\":", out);
    record_string(out, basename(file));
    fputs(",\"lines\":[", out);
    const char *separator = "";
    ssize_t length;
    while (in && used < most && (length = getline(&text, &capacity, in)) >= 0) {
        while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
            text[--length] = '\0';
        fputs(separator, out);
        page_put_line(text, out);
        separator = ",";
        used += (size_t)length;
    }
    fputs("]}", out);
    free(text);
    if (in) fclose(in);
}

static void page_put_regions(const record_region *regions, uint32_t count, FILE *out) {
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? ",[" : "[", out);
        record_string(out, regions[i].name);
        fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%u,\"%c\"]", regions[i].address, regions[i].bytes,
                regions[i].element, regions[i].kind);
    }
}

static void page_put_part(record_part *part, const char *name, FILE *out) {
    if (part->out) fclose(part->out);
    part->out = NULL;
    fprintf(out, ",\n\"%s\":[%s]", name, part->text ? part->text : "");
}

static void page_put_cut(const recorder *r, FILE *out) {
    char text[512];
    if (!r->is_cut) return;
    snprintf(text, sizeof text,
             "Recorded until time %" PRIu64 ": %s. --from %" PRIu64 " records what follows.",
             r->last_time, r->cut, r->last_time);
    fputs(",\n\"cut\":", out);
    record_string(out, text);
}

static void page_put_data(recorder *r, FILE *out) {
    int length;
    char name[SIM_DEBUG_NAME];
    const char *base = sim_kernel_name(r->kernel, &length);
    snprintf(name, sizeof name, "%.*s", length, base);
    fputs("{\"title\":", out);
    record_string(out, r->asked->title);
    fputs(",\"kernel\":", out);
    record_string(out, name);
    fprintf(out, ",\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"first\":%" PRIu64, r->grid.x,
            r->grid.y, r->grid.z, r->block.x, r->block.y, r->block.z, r->first_block);
    fprintf(out, ",\"blocks\":%u,\"warps\":%u,\"launch\":%u,\"sharedBytes\":%u", r->asked->blocks,
            r->warps, r->asked->launch, r->shared_bytes);
    fputs(",\n\"files\":[", out);
    for (uint32_t i = 0; i < r->file_count; i++) {
        if (i) fputc(',', out);
        page_put_file(r, r->files[i], out);
    }
    fputs("],\n\"variables\":[", out);
    for (uint32_t i = 0; i < r->variable_count; i++) {
        fputs(i ? ",[" : "[", out);
        record_string(out, r->variables[i].name);
        fputc(',', out);
        record_string(out, r->variables[i].function);
        fprintf(out, ",%d]", r->variables[i].is_parameter);
    }
    fputs("],\n\"arrays\":[", out);
    page_put_regions(r->arrays, r->array_count, out);
    fputs("],\n\"tiles\":[", out);
    page_put_regions(r->tiles, r->tile_count, out);
    fputc(']', out);
    page_put_cut(r, out);
    page_put_part(&r->moments, "moments", out);
    page_put_part(&r->accesses, "accesses", out);
    page_put_part(&r->states, "states", out);
    page_put_part(&r->scopes, "scopes", out);
    page_put_part(&r->values, "values", out);
    page_put_part(&r->shared, "shared", out);
    page_put_part(&r->events, "events", out);
    fputs("}", out);
}

static void page_put(const recorder *r, const char *data, const char *nonce, FILE *out) {
    ladder_page_head(out, "Step by step: ", r->asked->title, nonce);
    fputs(ladder_replay_style, out);
    ladder_html(out,
                "</style></head>\n<body class=\"replay\">\n<header><h1>%s</h1></header>\n"
                "<main id=\"replay\"><noscript><p>This page needs its script, which is part of "
                "it: it loads nothing.</p></noscript></main>\n",
                r->asked->title);
    ladder_page_end(out, "recording", data, nonce, ladder_replay_script);
}

static kl_status page_save(const recorder *r, const char *data, size_t bytes, kl_error *err) {
    ladder_sha256 hash;
    char nonce[LADDER_SHA256_TEXT];
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, data, bytes);
    ladder_sha256_end(&hash, nonce);
    FILE *out = fopen(r->asked->path, "w");
    if (!out)
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s: %s", r->asked->path,
                       strerror(errno));
    page_put(r, data, nonce, out);
    long size = ftell(out);
    if (ferror(out) | fclose(out))
        return kl_fail(err, KL_ERROR_SYSTEM, "cannot write %s", r->asked->path);
    printf("%s: %u steps of %u warp%s, times up to %" PRIu64 ", %ld kB\n", r->asked->path,
           r->moment_count, r->warps * r->asked->blocks,
           r->warps * r->asked->blocks == 1 ? "" : "s", r->last_time, (size + 999) / 1000);
    if (r->is_cut)
        printf("It ends there because %s; --from %" PRIu64 " records what follows.\n", r->cut,
               r->last_time);
    uint32_t warps = (r->block.x * r->block.y * r->block.z + SIM_DEBUG_LANES - 1) / SIM_DEBUG_LANES;
    if (r->warps < warps)
        printf("Of the block's %u warps the first %u are recorded.\n", warps, r->warps);
    if (r->shared_bytes > r->memory_bytes)
        printf("Of %u bytes of shared memory the first %u are recorded.\n", r->shared_bytes,
               r->memory_bytes);
    if (r->left_variables) printf("The first %d variables are recorded.\n", RECORD_VARIABLES);
    return KL_OK;
}

static kl_status page_make(recorder *r, kl_error *err) {
    char *data = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&data, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    page_put_data(r, out);
    if (fclose(out) != 0) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    kl_status status = page_save(r, data, bytes, err);
    free(data);
    return status;
}

static void page_free(recorder *r) {
    record_part *parts[] = {&r->moments, &r->accesses, &r->states, &r->values,
                            &r->scopes,  &r->shared,   &r->events};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i]->out) fclose(parts[i]->out);
        free(parts[i]->text);
    }
    record_free_values(r);
    debug_end(r->t);
    debug_close_variables(r->t);
    free(r->t);
    free(r);
}

kl_status ladder_debug_page(const ladder_kit *kit, char *const *argv,
                            const ladder_debug_recording *recording, kl_error *err) {
    recorder *r = calloc(1, sizeof *r);
    if (r) r->t = calloc(1, sizeof *r->t);
    if (!r || !r->t) {
        free(r);
        return kl_fail(err, KL_ERROR_MEMORY, "no memory for a recording");
    }
    r->asked = recording;
    r->t->kit = kit;
    r->t->argv = argv;
    r->t->check = recording->check;
    r->t->client.descriptor = -1;
    kl_status status = record_launch(r, err);
    if (status == KL_OK) status = page_make(r, err);
    page_free(r);
    return status;
}
