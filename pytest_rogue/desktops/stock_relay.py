"""Carries one HTTP request to our guest inside a machine and brings its answer back as one line of JSON.

The text of this file is sent into the machine, so it imports the standard library only. Its argument is a file with the
request (a line of JSON, then the body), which it removes. `arrived` is false where the guest surely got nothing.
"""

import base64
import http.client
import json
import os
import sys


def main() -> None:
    """Carry it."""
    with open(sys.argv[1], "rb") as file:
        request = json.loads(file.readline())
        body = file.read()
    os.unlink(sys.argv[1])
    connection = http.client.HTTPConnection("127.0.0.1", request["port"], timeout=request["timeout"])
    try:
        connection.connect()
    except OSError as error:
        return tell(arrived=False, problem=str(error))
    try:
        connection.request(request["method"], request["target"], body or None, request["headers"])
        answer = connection.getresponse()
        content = base64.b64encode(answer.read()).decode("ascii")
    except (OSError, http.client.HTTPException) as error:
        return tell(arrived=True, problem=f"{type(error).__name__}: {error}")
    return tell(arrived=True, status=answer.status, content=content)


def tell(**answer: object) -> None:
    """Answer."""
    sys.stdout.write(json.dumps(answer) + "\n")


main()
