/** The small valid skill that the examples of all rules modify. */
export const EXAMPLE_TABLES = `[runtime]
language = "python"
entrypoint = "code/main.py"
export = "main"

[inputs]
who = { type = "string", description = "Name of the person to greet" }
`

const TOP_VALUES: Readonly<Record<string, string>> = {
  name: '"demo.greet"',
  version: '"0.1.0"',
  description: '"Greets somebody by name."',
  kind: '"action"',
}

/** Creates skill.toml with changed top-level values (as TOML); null leaves a key out. */
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

Greets the person named in \`who\`.

## Example

\`\`\`sh
skills exec demo.greet --arg who=Ada
\`\`\`
`

/** The same with a table of inputs. */
export const EXAMPLE_BODY_TABLE = EXAMPLE_BODY.replace(
  '## Example',
  '| Argument | Type | Meaning |\n| --- | --- | --- |\n| `who` | string | Name of the person |\n\n## Example',
)

/** Creates SKILL.md with other front matter (as YAML lines) or another body. */
export function createExampleMarkdown(
  frontMatter: string = EXAMPLE_FRONT_MATTER,
  body: string = EXAMPLE_BODY,
): string {
  return `---\n${frontMatter}---\n\n${body}`
}

/** Creates SKILL.md with text added to the default body. */
export function extendExampleBody(addition: string): string {
  return createExampleMarkdown(EXAMPLE_FRONT_MATTER, `${EXAMPLE_BODY}\n${addition}`)
}

/** The entrypoint file of the example. */
export const EXAMPLE_CODE = `def main(args):
    return {"greeting": "Hello, " + args.get("who", "world")}
`

/** Tests of the example skill. */
export const EXAMPLE_TEST = `[[cases]]
name = "greets"
args = { who = "Ada" }
expect = [{ result = { path = "greeting", equals = "Hello, Ada" } }]
`

/** Files of the example skill by path; its folder is named "greet". */
export const EXAMPLE_SKILL: Readonly<Record<string, string>> = {
  'skill.toml': createExampleToml(),
  'SKILL.md': createExampleMarkdown(),
  'code/main.py': EXAMPLE_CODE,
  'tests/greet.test.toml': EXAMPLE_TEST,
}

/** Two folders with the same name and version: the example adds one next to the linted folder. */
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

/** A folder named after another version than the one in its manifest. */
export const FOLDER_VERSION_EXAMPLE = {
  bad: {
    '../greet-2.0.0/skill.toml': createExampleToml({ name: '"demo.hello"' }),
    '../greet-2.0.0/SKILL.md': createExampleMarkdown(),
    '../greet-2.0.0/code/main.py': EXAMPLE_CODE,
  },
  good: {},
}

/** A pipe has no text; the test runner creates one for `fifo`. */
export const SPECIAL_FILE_EXAMPLE = { bad: { 'resources/pipe': { fifo: true } }, good: {} } as const

export const EMPTY_FOLDER_EXAMPLE = { bad: { resources: { folder: true } }, good: {} } as const

/** The origin of the example's request. */
const EXAMPLE_ORIGIN = 'https://api.example.com'

/** An entrypoint that sends a request. */
export function createNetworkCode(origin: string = EXAMPLE_ORIGIN): string {
  return `import urllib.request


def main(args):
    url = "${origin}/" + args["who"]
    return {"greeting": urllib.request.urlopen(url).read().decode()}
`
}

/**
 * Creates a skill whose network permission is `entry` (or several, joined with \`", "\`), and one
 * with a valid permission.
 */
export function createNetworkExample(entry: string) {
  const files = (network: string) => ({
    'skill.toml': createExampleToml(
      {},
      `${EXAMPLE_TABLES}\n[permissions]\nnetwork = ["${network}"]\n`,
    ),
    'code/main.py': createNetworkCode(/^https?:\/\/[\w.-]+$/.test(network) ? network : undefined),
  })
  return { bad: files(entry), good: files(EXAMPLE_ORIGIN) }
}

/** Creates a skill that declares `secrets`, and one that reads the secret it declares. */
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

/** Creates skill.toml with a line of [permissions.secrets] and the network that the code needs. */
export function createSecretUseToml(
  line: string,
  network: readonly string[] = [EXAMPLE_ORIGIN],
): string {
  const tables = `[permissions]\nnetwork = ${JSON.stringify(network)}\n\n[permissions.secrets]\n${line}\n`
  return createExampleToml({}, `${EXAMPLE_TABLES}\n${tables}`)
}
