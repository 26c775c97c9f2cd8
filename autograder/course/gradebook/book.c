// The file of a gradebook: opening, migrations, transactions, copies. A rollback journal, not WAL:
// one file is the whole book between two commands, it may lie on a network file system, and a
// course writes seldom.
#define _DEFAULT_SOURCE // SIGXFSZ
#include "course/gradebook/internal.h"
#include <pwd.h>

enum { APPLICATION = 0x4B4C4742, WAIT_S = 30 }; // "KLGB" in the head of the file

// Makes an error of SQLite's present one: what, in which file, what to do.
static kl_status ladder_sql_fail(const ladder_book *book, kl_error *err) {
    const char *path = book->path, *what = sqlite3_errmsg(book->db);
    switch (sqlite3_errcode(book->db) & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "%s: another process writes into this gradebook (waited %.0f s); nothing "
                       "was changed: let it end, then the same command again",
                       path, book->wait_s);
    case SQLITE_FULL:
    case SQLITE_IOERR:
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "%s cannot be written (%s); nothing was changed: make room on its disk, "
                       "then the same command again",
                       path, what);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "%s cannot be written (%s); nothing was changed: you need write permission "
                       "for the file and its folder",
                       path, what);
    case SQLITE_CANTOPEN:
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s cannot be opened (%s): does its folder exist, and may you write there?",
                       path, what);
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is damaged or no gradebook (%s); it was left as it is: put your last "
                       "copy (ladder gradebook backup) in its place",
                       path, what);
    default: return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s; nothing was changed", path, what);
    }
}

static kl_status bind_all(ladder_book *book, sqlite3_stmt *statement, const char *types,
                          va_list args, kl_error *err) {
    int code = SQLITE_OK;
    for (int i = 0; types[i] != '\0' && code == SQLITE_OK; i++) {
        switch (types[i]) {
        case 'i': code = sqlite3_bind_int64(statement, i + 1, va_arg(args, int64_t)); break;
        case 'd': code = sqlite3_bind_double(statement, i + 1, va_arg(args, double)); break;
        default:
            code = sqlite3_bind_text(statement, i + 1, va_arg(args, const char *), -1,
                                     SQLITE_TRANSIENT);
        }
    }
    return code == SQLITE_OK ? KL_OK : ladder_sql_fail(book, err);
}

static kl_status prepare(ladder_book *book, sqlite3_stmt **out_statement, kl_error *err,
                         const char *sql, const char *types, va_list args) {
    *out_statement = NULL;
    if (sqlite3_prepare_v2(book->db, sql, -1, out_statement, NULL) != SQLITE_OK)
        return ladder_sql_fail(book, err);
    kl_status status = bind_all(book, *out_statement, types, args, err);
    if (status == KL_OK) return KL_OK;
    sqlite3_finalize(*out_statement);
    *out_statement = NULL;
    return status;
}

kl_status ladder_sql_prepare(ladder_book *book, sqlite3_stmt **out_statement, kl_error *err,
                             const char *sql, const char *types, ...) {
    va_list args;
    va_start(args, types);
    kl_status status = prepare(book, out_statement, err, sql, types, args);
    va_end(args);
    return status;
}

bool ladder_sql_row(ladder_book *book, sqlite3_stmt *statement, kl_status *status, kl_error *err) {
    int code = sqlite3_step(statement);
    *status = code == SQLITE_ROW || code == SQLITE_DONE ? KL_OK : ladder_sql_fail(book, err);
    return code == SQLITE_ROW;
}

kl_status ladder_sql_run(ladder_book *book, kl_error *err, const char *sql, const char *types,
                         ...) {
    sqlite3_stmt *statement = NULL;
    va_list args;
    va_start(args, types);
    kl_status status = prepare(book, &statement, err, sql, types, args);
    va_end(args);
    while (status == KL_OK && ladder_sql_row(book, statement, &status, err)) continue;
    sqlite3_finalize(statement);
    return status;
}

kl_status ladder_sql_number(ladder_book *book, int64_t otherwise, int64_t *out_number,
                            kl_error *err, const char *sql, const char *types, ...) {
    sqlite3_stmt *statement = NULL;
    va_list args;
    va_start(args, types);
    kl_status status = prepare(book, &statement, err, sql, types, args);
    va_end(args);
    *out_number = otherwise;
    if (status == KL_OK && ladder_sql_row(book, statement, &status, err))
        *out_number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

void ladder_sql_text(sqlite3_stmt *statement, int column, char *out, size_t out_bytes) {
    const char *text = (const char *)sqlite3_column_text(statement, column);
    ladder_plain(text ? text : "", false, out, out_bytes);
}

void ladder_sql_now(char *out) {
    time_t now = time(NULL);
    struct tm parts;
    strftime(out, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

kl_status ladder_sql_audit(ladder_book *book, const char *action, const char *student,
                           const char *lab, kl_error *err, const char *format, ...) {
    char detail[1024], at[32];
    va_list args;
    va_start(args, format);
    vsnprintf(detail, sizeof detail, format, args);
    va_end(args);
    ladder_sql_now(at);
    return ladder_sql_run(book, err,
                          "INSERT INTO audit (at, who, action, student, lab, detail)"
                          " VALUES (?, ?, ?, ?, ?, ?)",
                          "tttttt", at, book->who, action, student, lab, detail);
}

kl_status ladder_sql_execute(ladder_book *book, const char *sql, kl_error *err) {
    return sqlite3_exec(book->db, sql, NULL, NULL, NULL) == SQLITE_OK ? KL_OK
                                                                      : ladder_sql_fail(book, err);
}

kl_status ladder_book_begin(ladder_book *book, kl_error *err) {
    char path[LADDER_PATH], what[LADDER_PATH + 20];
    const ladder_lock_words words = {what, "nothing was changed: let it end, then the same command "
                                           "again"};
    TRY(ladder_path(path, err, "%s.lock", book->path));
    snprintf(what, sizeof what, "writes into %s", book->path);
    TRY(ladder_lock_take(path, &words, book->wait_s, stderr, &book->lock, err));
    kl_status status = ladder_sql_execute(book, "BEGIN IMMEDIATE", err);
    book->changing = status == KL_OK;
    if (status != KL_OK) ladder_lock_release(&book->lock);
    return status;
}

kl_status ladder_book_commit(ladder_book *book, kl_error *err) {
    kl_status status = ladder_sql_execute(book, "COMMIT", err);
    if (status != KL_OK) ladder_book_undo(book);
    book->changing = false;
    ladder_lock_release(&book->lock);
    return status;
}

void ladder_book_undo(ladder_book *book) {
    if (book->changing) sqlite3_exec(book->db, "ROLLBACK", NULL, NULL, NULL);
    book->changing = false;
    ladder_lock_release(&book->lock);
}

static kl_status migrate(ladder_book *book, int from, kl_error *err) {
    char pragma[64];
    for (int version = from; version < ladder_book_version; version++)
        TRY(ladder_sql_execute(book, ladder_book_migrations[version], err));
    snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", ladder_book_version);
    TRY(ladder_sql_execute(book, pragma, err));
    if (from == 0) {
        snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d", APPLICATION);
        TRY(ladder_sql_execute(book, pragma, err));
        return ladder_sql_audit(book, "create", NULL, NULL, err, "version %d", ladder_book_version);
    }
    return ladder_sql_audit(book, "migrate", NULL, NULL, err, "version %d to %d", from,
                            ladder_book_version);
}

// What is in the file: whole, a gradebook, not newer than this program.
static kl_status look(ladder_book *book, int64_t *out_version, kl_error *err) {
    int64_t application = 0, tables = 0;
    sqlite3_stmt *check = NULL;
    char told[200] = "";
    TRY(ladder_sql_number(book, 0, out_version, err, "PRAGMA user_version", ""));
    TRY(ladder_sql_number(book, 0, &application, err, "PRAGMA application_id", ""));
    TRY(ladder_sql_number(book, 0, &tables, err, "SELECT count(*) FROM sqlite_master", ""));
    if (tables == 0 && application == 0 && *out_version == 0) return KL_OK; // a new one
    if (application != APPLICATION)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is a database, but no gradebook; it was left as it is: name another "
                       "file",
                       book->path);
    if (*out_version > ladder_book_version)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s is of version %d, and this kit knows versions up to %d; it was left as "
                       "it is: use the newer kit that wrote it",
                       book->path, (int)*out_version, ladder_book_version);
    TRY(ladder_sql_prepare(book, &check, err, "PRAGMA integrity_check(1)", ""));
    kl_status status = KL_OK;
    if (ladder_sql_row(book, check, &status, err)) ladder_sql_text(check, 0, told, sizeof told);
    sqlite3_finalize(check);
    if (status != KL_OK || strcmp(told, "ok") == 0) return status;
    return kl_fail(err, KL_ERROR_INPUT,
                   "%s is damaged (%s); it was left as it is: put your last copy (ladder gradebook "
                   "backup) in its place",
                   book->path, told);
}

static kl_status prepare_book(ladder_book *book, kl_error *err) {
    int64_t version = 0;
    TRY(ladder_sql_execute(book, "PRAGMA foreign_keys = ON", err));
    TRY(look(book, &version, err));
    if (version == ladder_book_version) return KL_OK;
    TRY(ladder_book_begin(book, err));
    kl_status status = look(book, &version, err); // another process may have been here
    if (status == KL_OK && version < ladder_book_version) status = migrate(book, (int)version, err);
    if (status == KL_OK) return ladder_book_commit(book, err);
    ladder_book_undo(book);
    return status;
}

static void name_who(ladder_book *book, const char *who) {
    const struct passwd *user = !who ? getpwuid(getuid()) : NULL;
    if (user) who = user->pw_name;
    if (who) ladder_plain(who, false, book->who, sizeof book->who);
    else snprintf(book->who, sizeof book->who, "user %u", (unsigned)getuid());
}

kl_status ladder_book_open(const char *path, const ladder_book_access *access,
                           ladder_book **out_book, kl_error *err) {
    struct stat info;
    *out_book = NULL;
    if (stat(path, &info) != 0 && !access->create)
        return kl_fail(err, KL_ERROR_INPUT,
                       "%s: %s; a gradebook is made by ladder grade LAB --submissions WHAT "
                       "--gradebook FILE, or by ladder gradebook roster FILE SHEET",
                       path, strerror(errno));
    ladder_book *book = calloc(1, sizeof *book);
    if (!book) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a gradebook");
    snprintf(book->path, sizeof book->path, "%s", path);
    name_who(book, access->who);
    book->wait_s = access->wait_s > 0 ? access->wait_s : WAIT_S;
    int flags = SQLITE_OPEN_READWRITE | (access->create ? SQLITE_OPEN_CREATE : 0);
    kl_status status = sqlite3_open_v2(path, &book->db, flags, NULL) == SQLITE_OK
                           ? KL_OK
                           : ladder_sql_fail(book, err);
    if (status == KL_OK) {
        sqlite3_busy_timeout(book->db, (int)(1000 * book->wait_s));
        // A file that may grow no more is an error to tell, no death.
        const struct sigaction ignore = {.sa_handler = SIG_IGN};
        sigaction(SIGXFSZ, &ignore, &book->before);
        book->ignoring = true;
        status = prepare_book(book, err);
    }
    if (status != KL_OK) {
        ladder_book_close(book);
        return status;
    }
    *out_book = book;
    return KL_OK;
}

void ladder_book_close(ladder_book *book) {
    if (!book) return;
    ladder_book_undo(book);
    sqlite3_close(book->db);
    if (book->ignoring) sigaction(SIGXFSZ, &book->before, NULL);
    free(book);
}

kl_status ladder_book_backup(ladder_book *book, const char *path, kl_error *err) {
    if (ladder_file_exists(path))
        return kl_fail(err, KL_ERROR_INPUT, "%s exists already: name a new file", path);
    sqlite3 *to = NULL;
    sqlite3_backup *copy = NULL;
    int code = sqlite3_open_v2(path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (code == SQLITE_OK) {
        copy = sqlite3_backup_init(to, "main", book->db, "main");
        if (copy) {
            sqlite3_busy_timeout(to, (int)(1000 * book->wait_s));
            sqlite3_backup_step(copy, -1);
            sqlite3_backup_finish(copy);
        }
        code = sqlite3_errcode(to);
    }
    kl_status status = KL_OK;
    if (code != SQLITE_OK)
        status =
            kl_fail(err, KL_ERROR_SYSTEM, "%s cannot be written (%s)", path, sqlite3_errmsg(to));
    sqlite3_close(to);
    if (status != KL_OK) unlink(path);
    return status;
}
