// Writes a folder of valid skills for benchmarks: half actions with code, half instructions.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function generateSkills(dir, count) {
  for (let at = 0; at < count; at++) {
    const folder = `skill-${at}`
    const name = `group${at % 20}.skill${at}`
    const action = at % 2 === 0
    const base = join(dir, `group-${at % 20}`, folder)
    mkdirSync(join(base, 'code'), { recursive: true })
    writeFileSync(join(base, 'skill.toml'), manifest(name, action))
    writeFileSync(join(base, 'SKILL.md'), instructions(name, folder, action))
    if (action) writeFileSync(join(base, 'code', 'main.py'), CODE)
    else writeFileSync(join(base, 'code', 'notes.txt'), 'Notes.\n')
  }
}

function manifest(name, action) {
  const top = `name = "${name}"
version = "1.${name.length}.0"
description = "Counts the words of a text and says which one is the longest."
kind = "${action ? 'action' : 'instruction'}"
tags = ["text", "count"]
`
  if (!action) return top
  return `${top}
[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"

[inputs]
text = { type = "string", description = "The text whose words are counted" }
limit = { type = "integer", description = "How many words are returned", default = 10 }
`
}

function instructions(name, folder, action) {
  const call = action ? `\n\`\`\`sh\nskills exec ${name} --arg text="one two two"\n\`\`\`\n` : ''
  return `---
name: ${folder}
description: Counts the words of a text and says which one is the longest.
---

# Word count

Counts the words of \`text\`, at most \`limit\` of them.

## Example
${call}
${'Words are counted without regard to capitals; punctuation does not belong to a word. '.repeat(12).trimEnd()}
`
}

const CODE = `from collections import Counter


def main(args):
    words = args.get("text", "").lower().split()
    limit = args.get("limit", 10)
    counts = Counter(words).most_common(limit)
    longest = max(words, key=len, default="")
    return {"counts": dict(counts), "longest": longest, "summary": f"{len(words)} words"}
`
