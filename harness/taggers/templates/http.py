"""Local server that replaces a model's endpoint for testing; start it with ``python THIS_FILE [PORT]``."""

import json
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NAMES = re.compile(r"\b[A-Z]+[A-Za-z]*-?[0-9]+\b")


class Answers(BaseHTTPRequestHandler):
    """Handler that answers each chat completion with the names in its last message."""

    def do_POST(self):
        """Answer a chat completion request."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = NAMES.findall(request["messages"][-1]["content"])
        reply = {"choices": [{"message": {"role": "assistant", "content": json.dumps(names)}}]}
        content = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


with ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8000), Answers) as server:
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()
