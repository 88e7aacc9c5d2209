"""Secrets, names and places as they get into a trace, each with the piece of it that must never come out."""

from __future__ import annotations

DRIVERS = ("Ann Müller-Smith", "Jo Wu", "lewis")
CARS = ("BMW M3 GTR", "Ann's Miata")
FILES = ("sonoma_monday-evening",)
TOKEN = "t0k_" + "Zx9" * 13
KEY = "key-of-the-model-7"

# text -> what must be gone
SHAPED: dict[str, str] = {
    "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY": "9tSrke72",
    "AQ.Ab8RN6Ks0mEthing_long-enough12": "Ab8RN6",
    "sk-proj-abcdef1234567890": "abcdef1234",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a": "292c6912",
    "hf_abcdefghijklmnopqrstuv": "abcdefghij",
    "Authorization: Bearer abc.def.ghi": "abc.def",
    "x-goog-api-key: hunter2": "hunter2",
    "Cookie: session=deadbeef; theme=dark": "deadbeef",
    "bearer shorty": "shorty",
    "Basic YW5uOnNlc2FtZQ==": "YW5u",
    "https://gw.example/v1?api_key=hunter2&x=1": "hunter2",
    "http://ann:sesame@10.1.2.3:8080/v1": "sesame",
    "'password': 'hunter2'": "hunter2",
    "the password is hunter2": "hunter2",
    "API_KEY=hunter2": "hunter2",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s5iGnature": "eyJzdWIi",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----": "IBAAKC",
    "-----BEGIN PRIVATE KEY-----\nMIIEow\nIBAAKC": "IBAAKC",
    "d41d8cd98f00b204e9800998ecf8427e": "8f00b204",
    "lewis.h+track@racing.example.co.uk": "racing.example",
    "/home/lewis/pitwall/journals": "lewis",
    "/Users/annmueller/Downloads/a.vbo": "annmueller",
    r"C:\Users\Joachim Wu\a.vbo": "Joachim",
    "~annm/pitwall": "annm",
    "+49 170 1234567": "1234567",
    "+1 (555) 123-4567": "123-4567",
    "0170/1234567": "1234567",
    "07700 900123": "900123",
    "555-123-4567": "123-4567",
    "tel:5551234": "5551234",
    "from 203.0.113.77:5000": "203.0.113",
    "2001:db8::ff00:42:8329": "ff00",
    "AC:DE:48:00:11:22": "DE:48:00",
    "38.161234, -122.454912": "8.161234",
    "lat=38.1612 lon=-122.4549": "8.1612",
    "at 38.1612,-122.4549": "4549",
    "38.1612° N": "8.1612",
    "N38.1612": "8.1612",
    "38°09'40.4\"N": "09'40",
    "geo:38.161,-122.454": "8.161",
    "$GPRMC,1,A,3809.123,N,12227.456,W": "09.123",
}
NAMED: dict[str, str] = {
    "Ann Müller-Smith": "ller",
    "ANN MÜLLER-SMITH": "LLER",
    "ann_muller_smith.vbo": "muller",
    "AnnMüllerSmith": "ller",
    "Müller": "ller",
    "smith's": "smith",
    "Jo was late": "Jo",
    "Lewis": "ewis",
    "lewis,": "lewis",
    "the bmw m3 gtr": "gtr",
    "BMW-M3-GTR": "GTR",
    "sonoma_monday-evening.vbo": "monday",
    f"xx{TOKEN}yy": "Zx9Zx9",
    f"it was {KEY}!": "of-the-model",
}
