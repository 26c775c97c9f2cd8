// The tables of a gradebook, version by version. A version that was handed out is never changed:
// what is new is a migration behind it. PRAGMA user_version of the file is its version.
// Grades, overrides and the audit trail are only added to, which triggers hold every program to.
#include "course/gradebook/internal.h"

#define KEEP(table, event)                                                                         \
    "CREATE TRIGGER " table "_" event " BEFORE " event " ON " table                                \
    " BEGIN SELECT RAISE (ABORT, 'rows of " table " are only added'); END;"

static const char version_1[] =
    "CREATE TABLE students ("
    "  student INTEGER PRIMARY KEY,"
    "  key TEXT NOT NULL UNIQUE CHECK (key <> '')," // the course system's id, or the name handed in
    "  name TEXT NOT NULL DEFAULT '',"
    "  login TEXT NOT NULL DEFAULT '',"
    "  roster INTEGER NOT NULL DEFAULT 0);" // 1: a roster named this student
    "CREATE TABLE assignments ("
    "  assignment INTEGER PRIMARY KEY,"
    "  lab TEXT NOT NULL UNIQUE);"
    "CREATE TABLE attempts (" // the same files of a student are the same attempt
    "  attempt INTEGER PRIMARY KEY,"
    "  student INTEGER NOT NULL REFERENCES students,"
    "  assignment INTEGER NOT NULL REFERENCES assignments,"
    "  number INTEGER NOT NULL,"        // 1, 2, .. of the student
    "  submission TEXT NOT NULL,"       // SHA-256 of its files
    "  title TEXT NOT NULL DEFAULT ''," // as handed in
    "  submitted TEXT NOT NULL DEFAULT '',"
    "  late INTEGER NOT NULL DEFAULT 0," // marked so by the course system
    "  UNIQUE (student, assignment, number),"
    "  UNIQUE (student, assignment, submission));"
    "CREATE TABLE grades (" // of an attempt the newest counts
    "  grade INTEGER PRIMARY KEY,"
    "  attempt INTEGER NOT NULL REFERENCES attempts,"
    "  at TEXT NOT NULL,"
    "  kit TEXT NOT NULL,"    // version and hash of the programs that graded
    "  rubric TEXT NOT NULL," // SHA-256
    "  ungradable INTEGER NOT NULL DEFAULT 0,"
    "  points REAL NOT NULL,"
    "  points_max REAL NOT NULL);"
    "CREATE INDEX grades_of ON grades (attempt);"
    "CREATE TABLE steps ("
    "  grade INTEGER NOT NULL REFERENCES grades,"
    "  step INTEGER NOT NULL,"
    "  outcome TEXT NOT NULL,"
    "  points REAL NOT NULL,"
    "  points_max REAL NOT NULL,"
    "  PRIMARY KEY (grade, step)) WITHOUT ROWID;"
    "CREATE TABLE overrides (" // of a student's lab the newest counts
    "  override INTEGER PRIMARY KEY,"
    "  student INTEGER NOT NULL REFERENCES students,"
    "  assignment INTEGER NOT NULL REFERENCES assignments,"
    "  points REAL," // NULL: taken back
    "  reason TEXT NOT NULL CHECK (reason <> ''),"
    "  who TEXT NOT NULL CHECK (who <> ''),"
    "  at TEXT NOT NULL);"
    "CREATE TABLE audit ("
    "  entry INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  at TEXT NOT NULL,"
    "  who TEXT NOT NULL,"
    "  action TEXT NOT NULL,"
    "  student TEXT," // the key
    "  lab TEXT,"
    "  detail TEXT NOT NULL);" KEEP("audit", "UPDATE") KEEP("audit", "DELETE")
        KEEP("grades", "UPDATE") KEEP("grades", "DELETE") KEEP("steps", "UPDATE")
            KEEP("steps", "DELETE") KEEP("overrides", "UPDATE") KEEP("overrides", "DELETE");

// Policies of a lab, and more of what a grade can be traced to.
static const char version_2[] =
    "ALTER TABLE assignments ADD COLUMN counts TEXT NOT NULL DEFAULT 'best'"
    "  CHECK (counts IN ('best', 'last', 'first'));"
    "ALTER TABLE assignments ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;" // 0: all count
    "ALTER TABLE assignments ADD COLUMN due REAL;" // seconds since 1970; NULL: never late
    "ALTER TABLE assignments ADD COLUMN late_rate REAL NOT NULL DEFAULT 0;" // share per day
    "ALTER TABLE assignments ADD COLUMN late_most REAL NOT NULL DEFAULT 1;" // share in all
    "ALTER TABLE grades ADD COLUMN device TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE grades ADD COLUMN sandbox TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE grades ADD COLUMN seed TEXT NOT NULL DEFAULT '';"; // 64 bits have no INTEGER

// Due dates of single students.
static const char version_3[] =
    "CREATE TABLE dues (" // of a student's lab the newest counts
    "  entry INTEGER PRIMARY KEY,"
    "  student INTEGER NOT NULL REFERENCES students,"
    "  assignment INTEGER NOT NULL REFERENCES assignments,"
    "  due REAL," // seconds since 1970; NULL: taken back
    "  reason TEXT NOT NULL CHECK (reason <> ''),"
    "  who TEXT NOT NULL CHECK (who <> ''),"
    "  at TEXT NOT NULL);" KEEP("dues", "UPDATE") KEEP("dues", "DELETE");

// Other ids and names of a student, and students that turned out to be another one.
static const char version_4[] =
    "CREATE TABLE aliases ("
    "  alias TEXT NOT NULL CHECK (alias <> ''),"
    "  student INTEGER NOT NULL REFERENCES students,"
    "  PRIMARY KEY (alias, student)) WITHOUT ROWID;"
    "ALTER TABLE students ADD COLUMN merged INTEGER REFERENCES students;"; // NULL: into none

// What persons mark: a lab's criteria, and what was given to whom.
static const char version_5[] =
    "CREATE TABLE criteria ("
    "  assignment INTEGER NOT NULL REFERENCES assignments,"
    "  name TEXT NOT NULL CHECK (name <> ''),"
    "  points REAL," // NULL: taken back
    "  text TEXT NOT NULL,"
    "  PRIMARY KEY (assignment, name));"
    "CREATE TABLE given (" // of a criterion, and of a line, the newest counts
    "  entry INTEGER PRIMARY KEY,"
    "  student INTEGER NOT NULL REFERENCES students,"
    "  assignment INTEGER NOT NULL REFERENCES assignments,"
    "  criterion TEXT NOT NULL," // '': a comment on a line
    "  points REAL,"             // NULL: none, or taken back
    "  file TEXT NOT NULL,"      // '': the whole
    "  line INTEGER NOT NULL,"
    "  text TEXT NOT NULL,"
    "  who TEXT NOT NULL CHECK (who <> ''),"
    "  at TEXT NOT NULL);" KEEP("given", "UPDATE") KEEP("given", "DELETE");

// Of how many points an override was; NULL: of an older version. Seconds after a due date that cost
// nothing.
static const char version_6[] = "ALTER TABLE overrides ADD COLUMN most REAL;"
                                "ALTER TABLE assignments ADD COLUMN grace REAL NOT NULL DEFAULT 0;";

// Students who have left the course. Labs that are graded on small cases.
static const char version_7[] = "ALTER TABLE students ADD COLUMN dropped INTEGER NOT NULL"
                                " DEFAULT 0;"
                                "ALTER TABLE assignments ADD COLUMN quick INTEGER NOT NULL"
                                " DEFAULT 0;";

// What being late costs, as a line of text, in place of late_rate, late_most and grace.
static const char version_8[] =
    "ALTER TABLE assignments ADD COLUMN late TEXT NOT NULL DEFAULT '';"
    "UPDATE assignments SET late = printf('%g%% per day, at most %g%%, grace %d min',"
    "  100 * late_rate, 100 * late_most, grace / 60) WHERE due IS NOT NULL;";

// An exam's window, in seconds since 1970; 0: none.
static const char version_9[] =
    "ALTER TABLE assignments ADD COLUMN opens REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE assignments ADD COLUMN closes REAL NOT NULL DEFAULT 0;";

const char *const ladder_book_migrations[] = {version_1, version_2, version_3, version_4, version_5,
                                              version_6, version_7, version_8, version_9};
const int ladder_book_version = sizeof ladder_book_migrations / sizeof ladder_book_migrations[0];

#define FREE(table) "DROP TRIGGER " table "_DELETE;"
const char ladder_book_unlock[] =
    FREE("audit") FREE("grades") FREE("steps") FREE("overrides") FREE("dues") FREE("given");
const char ladder_book_lock[] =
    KEEP("audit", "DELETE") KEEP("grades", "DELETE") KEEP("steps", "DELETE")
        KEEP("overrides", "DELETE") KEEP("dues", "DELETE") KEEP("given", "DELETE");
