// A document that no list has.
kl_json_string(&json, "schema", "ladder.written/2");
