"""Save three logins in the browser's profile before it starts for the first time.

A browser without a keyring encrypts with a password that everybody knows; here it protects nothing.
"""

import hashlib
import sqlite3
import subprocess
from pathlib import Path

LOGINS = {
    "orchard-shop": ("marit.tangen", "sweet-cherry-41"),
    "orchard-club": ("mtangen", "late-apple-77"),
    "seed-shop": ("marit", "broad-bean-12"),
}
KEY = hashlib.pbkdf2_hmac("sha1", b"peanuts", b"saltysalt", 1, 16)
TABLE = """
CREATE TABLE logins (origin_url VARCHAR NOT NULL, action_url VARCHAR, username_element VARCHAR, username_value VARCHAR,
  password_element VARCHAR, password_value BLOB, submit_element VARCHAR, signon_realm VARCHAR NOT NULL,
  date_created INTEGER NOT NULL, blacklisted_by_user INTEGER NOT NULL, scheme INTEGER NOT NULL, password_type INTEGER,
  times_used INTEGER, form_data BLOB, display_name VARCHAR, icon_url VARCHAR, federation_url VARCHAR,
  skip_zero_click INTEGER, generation_upload_status INTEGER, possible_username_pairs BLOB,
  id INTEGER PRIMARY KEY AUTOINCREMENT, date_last_used INTEGER NOT NULL DEFAULT 0, moving_blocked_for BLOB,
  date_password_modified INTEGER NOT NULL DEFAULT 0, sender_email VARCHAR, sender_name VARCHAR, date_received INTEGER,
  sharing_notification_displayed INTEGER NOT NULL DEFAULT 0, keychain_identifier BLOB, sender_profile_image_url VARCHAR,
  date_last_filled INTEGER NOT NULL DEFAULT 0, actor_login_approved INTEGER NOT NULL DEFAULT 0,
  UNIQUE (origin_url, username_element, username_value, password_element, signon_realm));
CREATE INDEX logins_signon ON logins (signon_realm);
CREATE TABLE meta (key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
INSERT INTO meta VALUES ('version', '43'), ('last_compatible_version', '40');
"""
INSERT = """
INSERT INTO logins (origin_url, username_value, password_value, signon_realm, date_created, blacklisted_by_user, scheme,
  username_element, password_element, submit_element) VALUES (?, ?, ?, ?, 13400000000000000, 0, 0, '', '', '')
"""


def encrypted(password: str) -> bytes:
    """Return the password as the browser stores it."""
    command = ["openssl", "enc", "-aes-128-cbc", "-K", KEY.hex(), "-iv", (b" " * 16).hex()]
    return b"v10" + subprocess.run(command, input=password.encode(), capture_output=True, check=True).stdout


profile = Path.home() / ".config/chromium/Default"
profile.mkdir(parents=True, exist_ok=True)
database = sqlite3.connect(profile / "Login Data")
database.executescript(TABLE)
for site, (account, password) in LOGINS.items():
    address = f"http://{site}.localhost:8080/"
    database.execute(INSERT, (address, account, encrypted(password), address))
database.commit()
database.close()
