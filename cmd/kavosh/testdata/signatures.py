"""Verifies signed messages with an implementation of RFC 9421 that is not ours.

usage: signatures.py MESSAGES, where MESSAGES has a JSON object a line: method, url, headers (a list of pairs), and for
answers status, body and agent, the directory's keys being those of the answer itself. Other lines are requests, whose
Signature-Agent names the origin of the last directory. Prints a line a message: ok and its URL, or what is wrong.
"""

import base64
import json
import sys
from types import SimpleNamespace

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from http_message_signatures import HTTPMessageVerifier, InvalidSignature, algorithms
from http_message_signatures.resolvers import HTTPSignatureKeyResolver


class Keys(HTTPSignatureKeyResolver):
    def __init__(self):
        self.keys = {}

    def resolve_public_key(self, key_id):
        return self.keys.get(key_id)


class Headers(dict):
    """Fields by their names in lower case, in the order and with the values of the wire."""

    def __init__(self, pairs):
        for name, value in pairs:
            if name.lower() in self and "signature" in name.lower():
                raise InvalidSignature("two fields " + name)
            self[name.lower()] = value


keys = Keys()
verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=keys)
for line in open(sys.argv[1], encoding="utf-8"):
    m = json.loads(line)
    try:
        message = SimpleNamespace(method=m["method"], url=m["url"], headers=Headers(m["headers"]))
        if "status" in m:
            body = base64.b64decode(m["body"])
            for key in json.loads(body)["keys"]:
                x = base64.urlsafe_b64decode(key["x"] + "=")
                keys.keys[key["kid"]] = Ed25519PublicKey.from_public_bytes(x)
            request = SimpleNamespace(method="GET", url=m["url"], headers={})
            answer = SimpleNamespace(status_code=m["status"], url=m["url"], headers=message.headers, request=request)
            found = verifier.verify(
                answer, expect_tag="http-message-signatures-directory", body=body,
                require_components=('"@authority";req', "content-digest"))
            if {r.parameters["keyid"] for r in found} != set(keys.keys):
                raise InvalidSignature("not every key signs")
        else:
            agent = '"signature-agent";key="sig1"'
            verifier.verify(message, expect_tag="web-bot-auth", require_components=("@authority", agent))
        print("ok", m["url"])
    except Exception as e:
        print("WRONG", m["url"], repr(e))
