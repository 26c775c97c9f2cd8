// Records of a search as JSON, schema ladder.tune/1: see tune.h. Fields are only ever added;
// a change of meaning is a new number. What is not known is null.
#include "json.h"
#include "ladder_config.h"
#include "learn/tune/tune.h"

static void write_origin(kl_json *json, const ladder_tune_origin *o) {
    kl_json_string(json, "schema", "ladder.tune/1");
    kl_json_string(json, "lab", o->lab->folder);
    kl_json_object(json, "device");
    kl_json_string(json, "kind", o->simulated ? "sim" : "gpu");
    kl_json_string(json, "name", o->device);
    kl_json_string(json, "driver", o->driver);
    kl_json_string(json, "runtime", o->runtime);
    kl_json_end(json);
    kl_json_string(json, "toolkit", o->toolkit);
    kl_json_string(json, "architecture", "sm_" LADDER_CUDA_ARCHITECTURE);
    kl_json_string(json, "kernel", o->kernel);
    kl_json_string(json, "begun", o->date);
    kl_json_string(json, "time_kind", o->simulated ? "modelled" : "measured");
    kl_json_string(json, "rate_unit", ladder_tune_rate_unit(o->lab));
}

static void write_parameters(kl_json *json, const ladder_tune_space *space) {
    kl_json_array(json, "parameters");
    for (int p = 0; p < space->parameter_count; p++) {
        const ladder_tune_parameter *parameter = &space->parameters[p];
        kl_json_object(json, NULL);
        kl_json_string(json, "name", parameter->name);
        kl_json_string(json, "what", parameter->what);
        kl_json_array(json, "values");
        for (int v = 0; v < parameter->value_count; v++)
            kl_json_int(json, NULL, parameter->values[v]);
        kl_json_end(json);
        kl_json_end(json);
    }
    kl_json_end(json);
}

static void write_known(kl_json *json, const char *key, int value) {
    if (value >= 0) kl_json_int(json, key, value);
    else kl_json_null(json, key);
}

static void write_record(kl_json *json, const ladder_tune_origin *o, const ladder_tune_record *r) {
    kl_json_object(json, NULL);
    kl_json_string(json, "what", r->is_vendor ? "vendor" : "config");
    if (r->size > 0) kl_json_int(json, "size", r->size);
    else kl_json_null(json, "size"); // every size
    kl_json_string(json, "state", ladder_tune_state_word(r->state));
    if (r->why[0] != '\0') kl_json_string(json, "why", r->why);
    kl_json_number(json, "time_us", r->us);
    kl_json_array(json, "ci_us");
    kl_json_number(json, NULL, r->us_low);
    kl_json_number(json, NULL, r->us_high);
    kl_json_end(json);
    kl_json_int(json, "samples", r->samples);
    kl_json_number(json, "rate", r->rate);
    kl_json_number(json, "of_vendor", r->of_vendor);
    kl_json_number(json, "max_error", r->max_error);
    write_known(json, "registers", r->registers);
    write_known(json, "spill_bytes", r->spill_bytes);
    kl_json_number(json, "bank_share", r->bank_share);
    if (o->simulated) {
        kl_json_object(json, "counts");
        for (int i = 0; i < LADDER_TUNE_COUNTS; i++)
            kl_json_number(json, ladder_tune_count_word((ladder_tune_count)i), r->counts[i]);
        kl_json_end(json);
    }
    if (!r->is_vendor) {
        kl_json_object(json, "config");
        for (int p = 0; p < o->space->parameter_count; p++)
            kl_json_int(json, o->space->parameters[p].name, r->config.values[p]);
        kl_json_end(json);
    }
    kl_json_end(json);
}

kl_status ladder_tune_records_json(const ladder_tune_records *records, FILE *out, kl_error *err) {
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_object(&json, NULL);
    write_origin(&json, &records->origin);
    write_parameters(&json, records->origin.space);
    kl_json_array(&json, "results");
    for (size_t i = 0; i < records->count; i++)
        write_record(&json, &records->origin, &records->items[i]);
    kl_json_end(&json);
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}
