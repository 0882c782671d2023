"""Receives webhook deliveries by the standard library: WEBHOOK_SECRET=whsec_... python receive_webhooks.py [port]"""

import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from earnest.webhooks import WebhookSignatureError, read_webhook

secret = os.environ["WEBHOOK_SECRET"]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        raw_body = self.rfile.read(int(self.headers["content-length"] or 0))
        try:
            event = read_webhook(raw_body, self.headers, secret)
        except WebhookSignatureError:
            self.send_response(401)
        else:
            # Store the event here, by event["id"], and process it after the answer.
            print(event["type"], event["id"], flush=True)
            self.send_response(204)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 3000), Receiver).serve_forever()
