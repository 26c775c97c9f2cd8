// Fat binaries: walking containers and entries, choosing among them. Decompression is in
// fatbin.c. Must not read outside image[0..bytes); every size is checked before it is used.
#include "image/internal.h"

enum {
    CONTAINER_MAGIC = (int)0xBA55ED50,
    WRAPPER_MAGIC = 0x466243B1,
    CONTAINER_HEADER_BYTES = 16,
    ENTRY_HEADER_BYTES = 64,
    MAX_PRELINKED = 65536,
    // Flags of an entry.
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_ARCH_EXACT = 0x100000,
    FLAG_FAMILY = 0x200000,
};

static bool is_container(const uint8_t *image, size_t limit) {
    return limit >= 4 && read_u32(image) == (uint32_t)CONTAINER_MAGIC;
}

static bool is_elf(const uint8_t *image, size_t limit) {
    return limit >= 4 && memcmp(image, "\177ELF", 4) == 0;
}

// PTX text begins, after blanks and comments, with ".version".
static bool is_ptx(const uint8_t *image, size_t limit) {
    static const char start[] = ".version";
    size_t at = 0;
    while (at < limit) {
        if (image[at] == ' ' || (image[at] >= '\t' && image[at] <= '\r')) {
            at++;
        } else if (image[at] == '/' && limit - at > 1 && image[at + 1] == '/') {
            while (at < limit && image[at] != '\n' && image[at] != '\0') at++;
        } else if (image[at] == '/' && limit - at > 1 && image[at + 1] == '*') {
            at += 2;
            while (limit - at > 1 && image[at] != '\0' &&
                   !(image[at] == '*' && image[at + 1] == '/'))
                at++;
            if (limit - at <= 1 || image[at] == '\0') return false;
            at += 2;
        } else {
            break;
        }
    }
    // Byte by byte: the text may end anywhere, and without a known limit its NUL is the only end.
    for (size_t i = 0; i < sizeof start - 1; i++)
        if (at + i >= limit || image[at + i] != (uint8_t)start[i]) return false;
    return true;
}

// Checks the header of a container and gives its whole size.
static sim_status container_bytes(const uint8_t *image, size_t limit, size_t *out_header_bytes,
                                  size_t *out_bytes, kl_error *err) {
    if (limit < CONTAINER_HEADER_BYTES)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: its header is cut off after %zu bytes",
                        limit);
    uint16_t version = read_u16(image + 4), header_bytes = read_u16(image + 6);
    uint64_t body_bytes = read_u64(image + 8);
    if (version != 1)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: version %u is unknown", version);
    if (header_bytes < CONTAINER_HEADER_BYTES || header_bytes > limit)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: impossible header size %u", header_bytes);
    if (body_bytes > limit - header_bytes)
        return sim_fail(err, SIM_BAD_IMAGE,
                        "fat binary: its header announces %llu bytes, of which %zu are there",
                        (unsigned long long)body_bytes, limit - header_bytes);
    *out_header_bytes = header_bytes;
    *out_bytes = header_bytes + (size_t)body_bytes;
    return SIM_OK;
}

// The end of an ELF64: of its header tables and of every section and segment that has bytes in the
// file.
static sim_status elf_bytes(const uint8_t *image, size_t limit, size_t *out_bytes, kl_error *err) {
    if (limit < ELF_HEADER_BYTES || image[4] != 2 || image[5] != 1 ||
        read_u16(image + 18) != ELF_MACHINE_CUDA)
        return sim_fail(err, SIM_BAD_IMAGE, "this ELF is not a 64-bit CUDA binary");
    uint64_t section_at = read_u64(image + 40), segment_at = read_u64(image + 32);
    uint64_t section_count = read_u16(image + 60), segment_count = read_u16(image + 56);
    bool bad = (section_count && read_u16(image + 58) != ELF_SECTION_BYTES) ||
               (segment_count && read_u16(image + 54) != ELF_SEGMENT_BYTES) || section_at > limit ||
               section_count * ELF_SECTION_BYTES > limit - section_at || segment_at > limit ||
               segment_count * ELF_SEGMENT_BYTES > limit - segment_at;
    if (bad) return sim_fail(err, SIM_BAD_IMAGE, "cubin: its header tables do not fit the file");
    uint64_t end = ELF_HEADER_BYTES;
    if (section_count) end = section_at + section_count * ELF_SECTION_BYTES;
    if (segment_count && segment_at + segment_count * ELF_SEGMENT_BYTES > end)
        end = segment_at + segment_count * ELF_SEGMENT_BYTES;
    for (uint64_t i = 0; i < section_count; i++) {
        const uint8_t *section = image + section_at + i * ELF_SECTION_BYTES;
        uint64_t at = read_u64(section + 24), bytes = read_u64(section + 32);
        if (elf_is_nobits(read_u32(section + 4))) continue;
        if (at > limit || bytes > limit - at)
            return sim_fail(err, SIM_BAD_IMAGE, "cubin: section %llu passes the end of the file",
                            (unsigned long long)i);
        if (at + bytes > end) end = at + bytes;
    }
    *out_bytes = (size_t)end;
    return SIM_OK;
}

sim_status sim_fatbin_image_bytes(const void *image, size_t limit, size_t *out_bytes,
                                  kl_error *err) {
    const uint8_t *bytes = image;
    size_t header_bytes;
    *out_bytes = 0;
    if (!image) return sim_fail(err, SIM_INVALID_VALUE, "no image");
    if (is_container(bytes, limit))
        return container_bytes(bytes, limit, &header_bytes, out_bytes, err);
    if (is_elf(bytes, limit)) return elf_bytes(bytes, limit, out_bytes, err);
    if (!is_ptx(bytes, limit))
        return sim_fail(err, SIM_BAD_IMAGE, "neither a fat binary nor a cubin nor PTX text");
    size_t length = 0;
    while (length < limit && bytes[length] != '\0') length++;
    *out_bytes = length;
    return SIM_OK;
}

static sim_fatbin_entry *add_entry(sim_fatbin *fatbin) {
    if (fatbin->count == fatbin->capacity) {
        uint32_t capacity = fatbin->capacity ? fatbin->capacity * 2 : 8;
        fatbin_slot *grown = sim_arena_array(fatbin->arena, capacity, sizeof *grown);
        if (!grown) return NULL;
        if (fatbin->count) memcpy(grown, fatbin->slots, fatbin->count * sizeof *grown);
        fatbin->slots = grown;
        fatbin->capacity = capacity;
    }
    return &fatbin->slots[fatbin->count++].entry;
}

static void read_name(const uint8_t *header, size_t header_bytes, sim_fatbin_entry *entry) {
    size_t offset = read_u32(header + 32), bytes = read_u32(header + 36);
    if (offset < ENTRY_HEADER_BYTES || offset > header_bytes || bytes > header_bytes - offset)
        return;
    if (bytes >= sizeof entry->name) bytes = sizeof entry->name - 1;
    memcpy(entry->name, header + offset, bytes);
}

// Compressed sizes of the entry whose payload has `stored` bytes in the image, padding included.
static sim_status read_compression(const uint8_t *header, uint32_t index, sim_fatbin_entry *entry,
                                   kl_error *err) {
    entry->payload_bytes = entry->stored_bytes;
    bool lz4 = entry->flags & FLAG_LZ4, zstd = entry->flags & FLAG_ZSTD;
    if (!lz4 && !zstd) return SIM_OK;
    entry->compression = zstd ? SIM_FATBIN_ZSTD : SIM_FATBIN_LZ4;
    uint64_t compressed = read_u32(header + 16), full = read_u64(header + 56);
    if ((lz4 && zstd) || compressed > entry->stored_bytes || full > FATBIN_MAX_PAYLOAD_BYTES)
        return sim_fail(
            err, SIM_BAD_IMAGE,
            "fat binary: entry %u has impossible sizes (%llu bytes, compressed to %llu)", index,
            (unsigned long long)full, (unsigned long long)compressed);
    if (compressed) entry->stored_bytes = (size_t)compressed;
    entry->payload_bytes = (size_t)full;
    return SIM_OK;
}

// The entry at `at` with `left` bytes to the end of its container; gives the bytes it takes.
static sim_status read_entry(sim_fatbin *fatbin, const uint8_t *at, size_t left, size_t *out_bytes,
                             kl_error *err) {
    uint32_t index = fatbin->count;
    if (index >= SIM_FATBIN_MAX_ENTRIES)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: more than %d entries",
                        SIM_FATBIN_MAX_ENTRIES);
    if (left < ENTRY_HEADER_BYTES)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: the header of entry %u is cut off", index);
    uint32_t header_bytes = read_u32(at + 4);
    uint64_t stored_bytes = read_u64(at + 8);
    if (header_bytes < ENTRY_HEADER_BYTES || header_bytes > left ||
        stored_bytes > left - header_bytes)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary: entry %u passes the end of its container",
                        index);
    sim_fatbin_entry *entry = add_entry(fatbin);
    if (!entry) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a fat binary");
    *entry = (sim_fatbin_entry){.kind = read_u16(at),
                                .arch = read_u32(at + 28),
                                .flags = read_u64(at + 40),
                                .container = fatbin->container_count,
                                .stored = at + header_bytes,
                                .stored_bytes = (size_t)stored_bytes};
    entry->is_arch_exact = entry->flags & FLAG_ARCH_EXACT;
    entry->is_family = entry->flags & FLAG_FAMILY;
    read_name(at, header_bytes, entry);
    *out_bytes = header_bytes + (size_t)stored_bytes;
    return read_compression(at, index, entry, err);
}

static sim_status read_containers(sim_fatbin *fatbin, const uint8_t *image, size_t bytes,
                                  kl_error *err) {
    size_t at = 0;
    while (at < bytes) {
        if (fatbin->container_count && image[at] == 0) { // padding between containers
            at++;
            continue;
        }
        size_t header_bytes, whole_bytes, used = 0;
        if (!is_container(image + at, bytes - at))
            return sim_fail(err, SIM_BAD_IMAGE, "fat binary: no container at offset %zu", at);
        TRY(container_bytes(image + at, bytes - at, &header_bytes, &whole_bytes, err));
        for (size_t inside = header_bytes; inside < whole_bytes; inside += used)
            TRY(read_entry(fatbin, image + at + inside, whole_bytes - inside, &used, err));
        at += whole_bytes;
        fatbin->container_count++;
    }
    return SIM_OK;
}

// 90 from `.target sm_90` near the beginning of PTX text, 0 when there is none.
static uint32_t find_target(const uint8_t *text, size_t bytes) {
    static const char key[] = ".target sm_";
    const uint8_t *found = memmem(text, bytes < 65536 ? bytes : 65536, key, sizeof key - 1);
    uint32_t target = 0;
    if (!found) return 0;
    for (const uint8_t *at = found + sizeof key - 1; at < text + bytes; at++) {
        if (*at < '0' || *at > '9' || target > 1000) break;
        target = target * 10 + (uint32_t)(*at - '0');
    }
    return target;
}

// A raw image becomes the one entry of one container.
static sim_status read_raw(sim_fatbin *fatbin, const uint8_t *image, size_t bytes, kl_error *err) {
    size_t whole;
    TRY(sim_fatbin_image_bytes(image, bytes, &whole, err));
    sim_fatbin_entry *entry = add_entry(fatbin);
    if (!entry) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for an image");
    bool elf = is_elf(image, bytes);
    *entry = (sim_fatbin_entry){.kind = elf ? SIM_FATBIN_CUBIN : SIM_FATBIN_PTX,
                                .stored = image,
                                .stored_bytes = whole,
                                .payload_bytes = whole};
    entry->arch = elf ? elf_cuda_arch(image) : find_target(image, whole);
    fatbin->container_count = 1;
    return SIM_OK;
}

sim_status sim_fatbin_open(const void *image, size_t bytes, sim_fatbin **out_fatbin,
                           kl_error *err) {
    *out_fatbin = NULL;
    if (!image) return sim_fail(err, SIM_INVALID_VALUE, "no image");
    sim_arena *arena = sim_arena_new(FATBIN_MAX_ARENA_BYTES);
    sim_fatbin *fatbin = arena ? sim_arena_alloc(arena, sizeof *fatbin) : NULL;
    if (!fatbin) {
        sim_arena_free(arena);
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for a fat binary");
    }
    fatbin->arena = arena;
    sim_status status = is_container(image, bytes) ? read_containers(fatbin, image, bytes, err)
                                                   : read_raw(fatbin, image, bytes, err);
    if (status != SIM_OK) {
        sim_arena_free(arena);
        return status;
    }
    *out_fatbin = fatbin;
    return SIM_OK;
}

void sim_fatbin_close(sim_fatbin *fatbin) {
    if (fatbin) sim_arena_free(fatbin->arena); // the record itself lives in its arena
}

uint32_t sim_fatbin_container_count(const sim_fatbin *fatbin) { return fatbin->container_count; }

uint32_t sim_fatbin_count(const sim_fatbin *fatbin) { return fatbin->count; }

const sim_fatbin_entry *sim_fatbin_get(const sim_fatbin *fatbin, uint32_t index) {
    return index < fatbin->count ? &fatbin->slots[index].entry : NULL;
}

// Higher is better; 0 means that a device of `arch` cannot use it.
static uint32_t score(const sim_fatbin_entry *entry, uint32_t kind, uint32_t arch) {
    if (entry->arch > arch || entry->kind != kind) return 0;
    if (entry->is_arch_exact && entry->arch != arch) return 0;
    if (entry->is_family && entry->arch / 10 != arch / 10) return 0;
    bool prefer = kind == SIM_FATBIN_PTX ? entry->is_arch_exact : !entry->is_arch_exact;
    return entry->arch * 2 + prefer + 1;
}

static bool best(const sim_fatbin *fatbin, uint32_t kind, int container, uint32_t arch,
                 uint32_t *out_index) {
    uint32_t best_score = 0;
    for (uint32_t i = 0; i < fatbin->count; i++) {
        const sim_fatbin_entry *entry = &fatbin->slots[i].entry;
        if (container != SIM_FATBIN_ANY && entry->container != (uint32_t)container) continue;
        uint32_t value = score(entry, kind, arch);
        if (value <= best_score) continue;
        best_score = value;
        *out_index = i;
    }
    return best_score > 0;
}

bool sim_fatbin_best_ptx(const sim_fatbin *fatbin, int container, uint32_t arch,
                         uint32_t *out_index) {
    return best(fatbin, SIM_FATBIN_PTX, container, arch, out_index);
}

bool sim_fatbin_best_cubin(const sim_fatbin *fatbin, int container, uint32_t arch,
                           uint32_t *out_index) {
    return best(fatbin, SIM_FATBIN_CUBIN, container, arch, out_index);
}

sim_status sim_fatbin_wrapper_read(const void *wrapper, sim_fatbin_wrapper *out_wrapper,
                                   kl_error *err) {
    const uint8_t *bytes = wrapper;
    *out_wrapper = (sim_fatbin_wrapper){0};
    if (!wrapper) return sim_fail(err, SIM_INVALID_VALUE, "no fat binary wrapper");
    if (read_u32(bytes) != WRAPPER_MAGIC)
        return sim_fail(err, SIM_BAD_IMAGE, "not a fat binary wrapper (its magic is 0x%08X)",
                        read_u32(bytes));
    uint32_t version = read_u32(bytes + 4);
    if (version != 1 && version != 2)
        return sim_fail(err, SIM_BAD_IMAGE, "fat binary wrapper: version %u is unknown", version);
    out_wrapper->version = version;
    memcpy(&out_wrapper->image, bytes + 8, sizeof out_wrapper->image);
    if (version == 1) return SIM_OK;
    memcpy(&out_wrapper->prelinked, bytes + 16, sizeof out_wrapper->prelinked);
    if (!out_wrapper->prelinked) return SIM_OK;
    uint32_t count = 0; // the list ends in NULL
    while (out_wrapper->prelinked[count])
        if (++count > MAX_PRELINKED)
            return sim_fail(err, SIM_BAD_IMAGE, "fat binary wrapper: its list does not end");
    out_wrapper->prelinked_count = count;
    return SIM_OK;
}

// -------------------------------------------------------------------------------------------------
// Payloads of fat binary entries: plain, LZ4 (nvcc --compress-mode=speed) or zstd (the default for
// PTX).

sim_status sim_fatbin_payload(sim_fatbin *fatbin, uint32_t index, const uint8_t **out_data,
                              size_t *out_bytes, kl_error *err) {
    *out_data = NULL;
    *out_bytes = 0;
    if (index >= fatbin->count)
        return sim_fail(err, SIM_INVALID_VALUE, "fat binary: there is no entry %u", index);
    fatbin_slot *slot = &fatbin->slots[index];
    const sim_fatbin_entry *entry = &slot->entry;
    if (!slot->data) {
        if (entry->compression == SIM_FATBIN_PLAIN) {
            slot->data = entry->stored;
        } else {
            // stored_bytes can only be as large as the image, but LZ4 counts in int.
            if (entry->stored_bytes > FATBIN_MAX_PAYLOAD_BYTES)
                return sim_fail(err, SIM_BAD_IMAGE, "fat binary: entry %u is too large", index);
            uint8_t *to = sim_arena_alloc(fatbin->arena, entry->payload_bytes);
            if (!to)
                return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for %zu bytes of device code",
                                entry->payload_bytes);
            bool lz4 = entry->compression == SIM_FATBIN_LZ4;
            TRY((lz4 ? sim_decompress_lz4 : sim_decompress_zstd)(entry->stored, entry->stored_bytes,
                                                                 to, entry->payload_bytes, err));
            slot->data = to;
        }
    }
    *out_data = slot->data;
    *out_bytes = entry->payload_bytes;
    return SIM_OK;
}
