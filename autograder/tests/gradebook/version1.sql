-- A gradebook as version 1 of the schema made it: two students of a roster, a guest, attempts that are late and graded
-- again, one that could not be graded, overrides. Never changed: it is what a later kit meets.
PRAGMA application_id = 1263290178;
PRAGMA user_version = 1;
BEGIN;
CREATE TABLE students (
  student INTEGER PRIMARY KEY,
  key TEXT NOT NULL UNIQUE CHECK (key <> ''),
  name TEXT NOT NULL DEFAULT '',
  login TEXT NOT NULL DEFAULT '',
  roster INTEGER NOT NULL DEFAULT 0);
CREATE TABLE assignments (
  assignment INTEGER PRIMARY KEY,
  lab TEXT NOT NULL UNIQUE);
CREATE TABLE attempts (
  attempt INTEGER PRIMARY KEY,
  student INTEGER NOT NULL REFERENCES students,
  assignment INTEGER NOT NULL REFERENCES assignments,
  number INTEGER NOT NULL,
  submission TEXT NOT NULL,
  title TEXT NOT NULL DEFAULT '',
  submitted TEXT NOT NULL DEFAULT '',
  late INTEGER NOT NULL DEFAULT 0,
  UNIQUE (student, assignment, number),
  UNIQUE (student, assignment, submission));
CREATE TABLE grades (
  grade INTEGER PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts,
  at TEXT NOT NULL,
  kit TEXT NOT NULL,
  rubric TEXT NOT NULL,
  ungradable INTEGER NOT NULL DEFAULT 0,
  points REAL NOT NULL,
  points_max REAL NOT NULL);
CREATE INDEX grades_of ON grades (attempt);
CREATE TABLE steps (
  grade INTEGER NOT NULL REFERENCES grades,
  step INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  points REAL NOT NULL,
  points_max REAL NOT NULL,
  PRIMARY KEY (grade, step)) WITHOUT ROWID;
CREATE TABLE overrides (
  override INTEGER PRIMARY KEY,
  student INTEGER NOT NULL REFERENCES students,
  assignment INTEGER NOT NULL REFERENCES assignments,
  points REAL,
  reason TEXT NOT NULL CHECK (reason <> ''),
  who TEXT NOT NULL CHECK (who <> ''),
  at TEXT NOT NULL);
CREATE TABLE audit (
  entry INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  who TEXT NOT NULL,
  action TEXT NOT NULL,
  student TEXT,
  lab TEXT,
  detail TEXT NOT NULL);
CREATE TRIGGER audit_UPDATE BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'rows of audit are only added'); END;
CREATE TRIGGER audit_DELETE BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'rows of audit are only added'); END;
CREATE TRIGGER grades_UPDATE BEFORE UPDATE ON grades BEGIN SELECT RAISE (ABORT, 'rows of grades are only added'); END;
CREATE TRIGGER grades_DELETE BEFORE DELETE ON grades BEGIN SELECT RAISE (ABORT, 'rows of grades are only added'); END;
CREATE TRIGGER steps_UPDATE BEFORE UPDATE ON steps BEGIN SELECT RAISE (ABORT, 'rows of steps are only added'); END;
CREATE TRIGGER steps_DELETE BEFORE DELETE ON steps BEGIN SELECT RAISE (ABORT, 'rows of steps are only added'); END;
CREATE TRIGGER overrides_UPDATE BEFORE UPDATE ON overrides BEGIN SELECT RAISE (ABORT, 'rows of overrides are only added'); END;
CREATE TRIGGER overrides_DELETE BEFORE DELETE ON overrides BEGIN SELECT RAISE (ABORT, 'rows of overrides are only added'); END;
INSERT INTO students VALUES (1, '4711', 'Ann Lee', 'ann', 1), (2, '4712', 'Bo Roe', '', 1), (7, 'guest', 'guest', '', 0);
INSERT INTO assignments VALUES (3, '02_reduction'), (4, '07_gemm');
INSERT INTO attempts VALUES (1, 1, 3, 1, 'f1', 'ann', '2026-11-20T10:00Z', 0),
 (2, 1, 3, 2, 'f2', 'ann, again', '2026-11-21T10:00Z', 1), (3, 2, 3, 1, 'f3', 'bo', '', 0), (4, 7, 4, 1, 'f4', 'guest', '', 0);
INSERT INTO grades VALUES (1, 1, '2026-10-01T00:00:00Z', 'old kit', 'r1', 0, 20, 50),
 (2, 2, '2026-10-01T00:00:00Z', 'old kit', 'r1', 0, 30.5, 50), (3, 3, '2026-10-01T00:00:00Z', 'old kit', 'r1', 0, 31, 50),
 (4, 3, '2026-10-01T00:00:00Z', 'old kit', 'r1', 0, 33.25, 50), (5, 4, '2026-10-01T00:00:00Z', 'old kit', 'r1', 1, 0, 50);
INSERT INTO steps VALUES (1, 3, 'correct', 20, 50), (2, 3, 'correct', 30.5, 50), (4, 3, 'wrong answer', 33.25, 50);
INSERT INTO overrides VALUES (1, 1, 3, 10, 'first', 'old prof', '2026-10-02T00:00:00Z'),
 (2, 1, 3, 40, 'it''s fair', 'old prof', '2026-10-03T00:00:00Z');
INSERT INTO audit VALUES (1, '2026-10-01T00:00:00Z', 'old prof', 'create', NULL, NULL, 'version 1'),
 (5, '2026-10-03T00:00:00Z', 'old prof', 'override', '4711', '02_reduction', '40.00 points, was 10.00 points: it''s fair');
COMMIT;
