/** The small valid skill that every rule's example changes. */
export const EXAMPLE_TABLES = `[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"

[inputs]
who = { type = "string", description = "Who is greeted" }
`

const TOP_VALUES: Readonly<Record<string, string>> = {
  name: '"demo.greet"',
  version: '"0.1.0"',
  description: '"Greets somebody by name."',
  kind: '"action"',
}

/** skill.toml with some top-level values changed (as TOML), or null to leave one out. */
export function createExampleToml(
  changes: Readonly<Record<string, string | null>> = {},
  tables: string = EXAMPLE_TABLES,
): string {
  const values = Object.entries({ ...TOP_VALUES, ...changes }).filter(([, value]) => value !== null)
  const top = values.map(([key, value]) => `${key} = ${value}\n`).join('')
  return tables === '' ? top : `${top}\n${tables}`
}

const EXAMPLE_FRONT_MATTER = `name: greet
description: Greets somebody by name.
`

const EXAMPLE_BODY = `# Greet

Says hello to \`who\`.

## Example

\`\`\`sh
skills exec demo.greet --arg who=Ada
\`\`\`
`

/** SKILL.md with other front matter (as YAML lines) or another body. */
export function createExampleMarkdown(
  frontMatter: string = EXAMPLE_FRONT_MATTER,
  body: string = EXAMPLE_BODY,
): string {
  return `---\n${frontMatter}---\n\n${body}`
}

/** SKILL.md with something added to the usual body. */
export function extendExampleBody(addition: string): string {
  return createExampleMarkdown(EXAMPLE_FRONT_MATTER, `${EXAMPLE_BODY}\n${addition}`)
}

/** The main file that belongs to it. */
export const EXAMPLE_CODE = `def main(args):
    return {"greeting": "Hello, " + args.get("who", "world")}
`

/** The files of the example skill by path; its folder is called "greet". */
export const EXAMPLE_SKILL: Readonly<Record<string, string>> = {
  'skill.toml': createExampleToml(),
  'SKILL.md': createExampleMarkdown(),
  'code/main.py': EXAMPLE_CODE,
}

/** Two folders with one name and version: the example lies in a folder below the linted root. */
export const DUPLICATE_EXAMPLE = {
  bad: {
    '../copy/skill.toml': createExampleToml(),
    '../copy/SKILL.md': createExampleMarkdown(),
    '../copy/code/main.py': EXAMPLE_CODE,
  },
  good: {
    '../copy/skill.toml': createExampleToml({ version: '"0.2.0"' }),
    '../copy/SKILL.md': createExampleMarkdown(),
    '../copy/code/main.py': EXAMPLE_CODE,
  },
}

/** A folder that is named for another version than its manifest says. */
export const FOLDER_VERSION_EXAMPLE = {
  bad: {
    '../greet-2.0.0/skill.toml': createExampleToml({ name: '"demo.hello"' }),
    '../greet-2.0.0/SKILL.md': createExampleMarkdown(),
    '../greet-2.0.0/code/main.py': EXAMPLE_CODE,
  },
  good: {},
}

/** A pipe cannot be written as text; the runner makes one for `fifo`. */
export const SPECIAL_FILE_EXAMPLE = { bad: { 'resources/pipe': { fifo: true } }, good: {} } as const

export const EMPTY_FOLDER_EXAMPLE = { bad: { resources: { folder: true } }, good: {} } as const

const NETWORK_CODE = `import urllib.request


def main(args):
    url = "https://api.example.com/" + args["who"]
    return {"greeting": urllib.request.urlopen(url).read().decode()}
`

/** A skill that may talk to `entry` (or several, with \`", "\` between them), and one that may to a good host. */
export function createNetworkExample(entry: string) {
  const files = (network: string) => ({
    'skill.toml': createExampleToml(
      {},
      `${EXAMPLE_TABLES}\n[permissions]\nnetwork = ["${network}"]\n`,
    ),
    'code/main.py': NETWORK_CODE,
  })
  return { bad: files(entry), good: files('https://api.example.com') }
}

/** A skill that declares secrets, and one that reads what it declares. */
export function createSecretsExample(secrets: string, code: string) {
  const files = (list: string, main: string) => ({
    'skill.toml': createExampleToml({}, `${EXAMPLE_TABLES}\n[permissions]\nsecrets = [${list}]\n`),
    'code/main.py': main,
  })
  const good = `import os


def main(args):
    return {"who": args.get("who"), "known": os.environ.get("CRM_KEY") is not None}
`
  return { bad: files(secrets, code), good: files('"CRM_KEY"', good) }
}
