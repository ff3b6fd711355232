"""The peer of `tacho serve`: FastAPI with uvicorn, the same list from the same file.

    STORE=FILE uvicorn --app-dir bench peer_http:app --port 8001 --log-level warning
"""
import os
import sqlite3

from fastapi import FastAPI

app = FastAPI()
store = sqlite3.connect(f"file:{os.environ['STORE']}?mode=ro", uri=True, check_same_thread=False)
store.row_factory = sqlite3.Row
OWN = ("id", "key", "created_at", "model", "data", "batch", "epochs", "device", "environment",
       "image", "image_digest", "seed", "threads", "outcome")
FIGURES = [row["name"] for row in store.execute("SELECT name FROM pragma_table_info('runs')")
           if row["name"] not in (*OWN, "folder")]


def as_json(row):
    return {**{name: row[name] for name in OWN},
            "metrics": {name: row[name] for name in FIGURES if row[name] is not None}}


# `async`: uvicorn then runs it on its thread, without handing over to a pool, which costs more than
# the query.
@app.get("/api/v1/runs")
async def runs(sort: str = "id", limit: int = 50, offset: int = 0):
    if sort not in (*OWN, *FIGURES):
        return {"detail": "no such column"}
    rows = store.execute(f"SELECT * FROM runs ORDER BY {sort} DESC, id DESC LIMIT ? OFFSET ?",
                         (limit, offset)).fetchall()
    total = store.execute("SELECT count(*) FROM runs").fetchone()[0]
    return {"runs": [as_json(row) for row in rows], "total": total}
