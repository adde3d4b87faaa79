-- A journal of schema 3: `user_version` and `auto_vacuum` are not in a dump.
PRAGMA user_version = 3;
BEGIN TRANSACTION;
CREATE TABLE accept_files (
    branch TEXT NOT NULL REFERENCES accepts(branch) ON DELETE CASCADE,
    path BLOB NOT NULL,
    step TEXT NOT NULL,
    before TEXT REFERENCES blobs(digest),
    after TEXT REFERENCES blobs(digest),
    PRIMARY KEY (branch, path)
);
CREATE TABLE accepts (
    branch TEXT PRIMARY KEY REFERENCES branches(id) ON DELETE CASCADE,
    folders TEXT NOT NULL,
    prepared INTEGER NOT NULL
);
CREATE TABLE asks (
    branch TEXT NOT NULL REFERENCES branches(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    path BLOB NOT NULL,
    first INTEGER NOT NULL,
    past INTEGER NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (branch, number)
);
INSERT INTO "asks" VALUES('b1',2,1,X'612E7079',0,1,X'6C6F6E676572');
CREATE TABLE batches (
    branch TEXT NOT NULL REFERENCES branches(id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    applied REAL NOT NULL,
    edits BLOB NOT NULL,
    PRIMARY KEY (branch, revision)
);
INSERT INTO "batches" VALUES('b1',1,30.0,X'78018BAE56CACECC4B51B2522A2FCA2C4955D2512A482CC9007213F50A2A81BC92D48A12202F2FB53C264FA93616006A160F1E');
CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    bom INTEGER NOT NULL,
    stored BLOB NOT NULL
);
INSERT INTO "blobs" VALUES('01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee',4,'utf-8',0,X'3D6F6C640A');
INSERT INTO "blobs" VALUES('7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c',4,'utf-8',0,X'3D6E65770A');
INSERT INTO "blobs" VALUES('4b9f2c32577beb1ebc8ab2a1e226faaa9176a81cd4eedbaa22f8a0db919972b5',5,'utf-8',0,X'3D676F6E650A');
CREATE TABLE branches (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title BLOB NOT NULL,
    created REAL NOT NULL,
    used REAL NOT NULL,
    revision INTEGER NOT NULL,
    archived REAL,
    ended TEXT
);
INSERT INTO "branches" VALUES(1,'b1',X'61206B657074206272616E6368',10.0,30.0,1,NULL,NULL);
INSERT INTO "branches" VALUES(2,'b2',X'616E206172636869766564206F6E65',11.0,21.0,0,40.0,'discarded');
CREATE TABLE files (
    branch TEXT NOT NULL REFERENCES branches(id) ON DELETE CASCADE,
    path BLOB NOT NULL,
    base TEXT REFERENCES blobs(digest),
    after TEXT REFERENCES blobs(digest),
    origin BLOB,
    PRIMARY KEY (branch, path)
);
INSERT INTO "files" VALUES('b1',X'612E7079','01d09d19c2139a46aebfb577780d123d7396e97201bc7ead210a2ebff8239dee','7aa7a5359173d05b63cfd682e3c38487f3cb4f7f1d60659fe59fab1505977d4c',NULL);
INSERT INTO "files" VALUES('b1',X'676F6E652E7079','4b9f2c32577beb1ebc8ab2a1e226faaa9176a81cd4eedbaa22f8a0db919972b5',NULL,NULL);
INSERT INTO "files" VALUES('b1',X'6D6F7665642E7079',NULL,'4b9f2c32577beb1ebc8ab2a1e226faaa9176a81cd4eedbaa22f8a0db919972b5',X'676F6E652E7079');
CREATE INDEX files_by_base ON files(base);
CREATE INDEX files_by_after ON files(after);
CREATE INDEX accept_files_by_before ON accept_files(before);
CREATE INDEX accept_files_by_after ON accept_files(after);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('branches',2);
COMMIT;
