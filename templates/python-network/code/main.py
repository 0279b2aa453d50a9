import json
import os
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime import Inputs

API = "https://api.example.com/v1/weather"


def main(args: "Inputs"):
    url = f"{API}?{urllib.parse.urlencode({'city': args['city']})}"
    if args.get("dry_run"):
        return {"summary": f"Would request {url}", "url": url}

    token = os.environ.get("EXAMPLE_API_TOKEN")
    if not token:
        raise RuntimeError("The secret EXAMPLE_API_TOKEN is not configured")
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, timeout=30) as response:
        weather = json.load(response)
    return {"summary": f"Looked up {args['city']}", "weather": weather}
