import json
import os
import re
import urllib.error
import urllib.request

from runtime import log

API = "https://api.github.com"
MAX_ISSUES = 100


class GitHubError(Exception):
    pass


def main(args):
    repository, limit = args["repository"], args.get("limit", 20)
    if not re.fullmatch(r"[\w-][\w.-]*/(?!\.{1,2}$)[\w.-]+", repository):
        raise ValueError(f"Expected owner/name for repository, got {repository!r}")
    if not 1 <= limit <= MAX_ISSUES:
        raise ValueError(f"Expected 1 to {MAX_ISSUES} for limit, got {limit}")

    query = f"state=open&sort=comments&per_page={limit}"
    found = get_json(f"{args.get('api', API)}/repos/{repository}/issues?{query}")
    # GitHub's API lists pull requests among the issues.
    issues = [summarize_issue(each) for each in found if "pull_request" not in each]
    noun = "issue" if len(issues) == 1 else "issues"
    return {"summary": f"{len(issues)} open {noun} in {repository}", "issues": issues}


def get_json(url):
    headers = {"Accept": "application/vnd.github+json", "User-Agent": "skills-example"}
    token = os.environ.get("GITHUB_TOKEN")
    if token:
        headers["Authorization"] = f"Bearer {token}"
    else:
        log.warning("GITHUB_TOKEN is not configured: only public repositories, few calls an hour")
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise GitHubError(f"GitHub answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise GitHubError(f"Cannot reach GitHub: {error.reason}") from None


def summarize_issue(issue):
    return {
        "number": issue["number"],
        "title": issue["title"],
        "comments": issue["comments"],
        "labels": [label["name"] for label in issue["labels"]],
    }
