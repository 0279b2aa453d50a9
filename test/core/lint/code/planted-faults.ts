import { EXAMPLE_TABLES, createExampleToml } from '../../../../src/core/lint/example-skill.ts'

/** A skill with one fault; `»` is before the place of its finding, and is not in the file. */
export interface PlantedFault {
  rule: string
  files: Readonly<Record<string, string>>
  message: RegExp
}

const LANGUAGES = { node: 'js', typescript: 'ts', shell: 'sh', python: 'py' } as const
type Language = keyof typeof LANGUAGES

interface Permissions {
  network?: string
  secrets?: string
}

/** A manifest of a language, with an entrypoint `code/main`. */
export function createManifest(
  language: Language,
  { network = '', secrets = '' }: Permissions = {},
): Record<string, string> {
  const tables = EXAMPLE_TABLES.replace('"python"', `"${language}"`).replace(
    'main.py',
    `main.${LANGUAGES[language]}`,
  )
  const permissions = `\n[permissions]\nnetwork = [${network}]\nsecrets = [${secrets}]\n`
  return { 'skill.toml': createExampleToml({}, tables + permissions) }
}

const plant = (
  language: Language,
  rule: string,
  [text, message, permissions, more = {}]: [
    string,
    RegExp,
    Permissions?,
    Readonly<Record<string, string>>?,
  ],
): PlantedFault => ({
  rule,
  message,
  files: {
    ...createManifest(language, permissions),
    [`code/main.${LANGUAGES[language]}`]: text,
    ...more,
  },
})

const API = { network: '"https://api.example.com"' }
const EXPORTED = 'export function main(args) {\n  return { who: args.who }\n}\n'
const ASYNC = 'export async function main(args) {\n'

const SYNTAX = 'entrypoint/syntax-error'
const IMPORT = 'entrypoint/unknown-import'
const MISSING = 'entrypoint/missing-import'
const RUNTIME = 'entrypoint/unknown-runtime-name'
const HOST = 'permissions/undeclared-host'
const NETWORK = 'permissions/undeclared-network'
const SECRET = 'permissions/undeclared-secret'

export const JAVASCRIPT_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'a missing bracket': plant('node', SYNTAX, [
    'export function main(args {»\n  return args.who\n}\n'.replace('{»', '»{'),
    /unexpected "\{"/,
  ]),
  'a block that is not closed': plant('node', SYNTAX, [
    'export function main(args) {\n  if (args.who) {\n    return args.who\n}»',
    /unexpected end of the file/,
  ]),
  'a text that is not closed': plant('node', SYNTAX, [
    "const greeting = »'Hello\n" + EXPORTED,
    /unterminated string constant/,
  ]),
  'a name that is declared twice': plant('node', SYNTAX, [
    `const who = 1\nconst »who = 2\n${EXPORTED}`,
    /"?'who' has already been declared/,
  ]),
  'a decorator in JavaScript': plant('node', SYNTAX, [
    `»@sealed\nclass Greeting {}\n${EXPORTED}`,
    /unexpected character '@'/,
  ]),
  'a fault in a script of the skill': plant('python', SYNTAX, [
    'def main(args):\n    return {"who": args["who"]}\n',
    /unexpected "="/,
    {},
    { 'scripts/build.mjs': 'const total =» = 2\n'.replace('=» =', '= »=') },
  ]),
  'a package that nobody installs': plant('node', IMPORT, [
    `import { z } from »'zod'\nz.string()\n${EXPORTED}`,
    /"zod" is neither/,
  ]),
  'a package in a folder of its own': plant('node', IMPORT, [
    `const { parse } = require(»'@babel/parser')\nmodule.exports = { main: parse }\n`,
    /"@babel\/parser" is neither/,
  ]),
  'a package that is imported late': plant('node', IMPORT, [
    `${ASYNC}  const { load } = await import(»'cheerio')\n  return load(args.who)\n}\n`,
    /"cheerio" is neither/,
  ]),
  'an import without extension': plant('node', MISSING, [
    `import { greet } from »'./helper'\nexport const main = (args) => greet(args.who)\n`,
    /"\.\/helper" does not exist/,
    {},
    { 'code/helper.js': 'export const greet = (who) => who\n' },
  ]),
  'an import from outside': plant('node', MISSING, [
    `import { greet } from »'../../shared/greet.js'\nexport const main = (args) => greet(args.who)\n`,
    /is outside of the skill/,
  ]),
  'a re-export of a missing file': plant('node', MISSING, [
    `export * from »'./lib/index.js'\n${EXPORTED}`,
    /does not exist/,
  ]),
  'an undeclared host': plant('node', HOST, [
    `${ASYNC}  const response = await fetch('»https://api.example.org/v1/people')\n  return await response.json()\n}\n`,
    /"fetch" sends a request to "https:\/\/api\.example\.org"/,
    API,
  ]),
  'an undeclared host in a constant': plant('node', HOST, [
    `const BASE = '»https://data.example.org/api'\n${ASYNC}  return await (await fetch(\`\${BASE}/\${args.who}\`)).json()\n}\n`,
    /"https:\/\/data\.example\.org"/,
    API,
  ]),
  'an undeclared host of a module of Node': plant('node', HOST, [
    `import https from 'node:https'\nexport const main = (args) => https.get(new URL(args.who, '»https://files.example.org/'))\n`,
    /"https\.get" sends a request to "https:\/\/files\.example\.org"/,
    API,
  ]),
  'an undeclared WebSocket': plant('node', HOST, [
    `${ASYNC}  return new WebSocket('»wss://live.example.org/feed').url\n}\n`,
    /"WebSocket" sends a request/,
    API,
  ]),
  'a host with another scheme': plant('node', HOST, [
    `${ASYNC}  return await (await fetch('»http://api.example.com/')).text()\n}\n`,
    /"http:\/\/api\.example\.com"/,
    API,
  ]),
  'a request without a permission': plant('node', NETWORK, [
    `${ASYNC}  return await (await »fetch(args.who)).text()\n}\n`,
    /"fetch" needs the network/,
  ]),
  'an undeclared secret': plant('node', SECRET, [
    `export const main = () => ({ known: Boolean(process.env.»CRM_KEY) })\n`,
    /"CRM_KEY" is read/,
  ]),
  'an undeclared secret in brackets': plant('node', SECRET, [
    `export const main = () => ({ known: process.env[»'CRM_KEY'] !== undefined })\n`,
    /"CRM_KEY" is read/,
  ]),
  'an undeclared secret among others': plant('node', SECRET, [
    `const { CRM_KEY, »MAIL_KEY } = process.env\nexport const main = () => [CRM_KEY, MAIL_KEY].length\n`,
    /"MAIL_KEY" is read/,
    { secrets: '"CRM_KEY"' },
  ]),
  'a name that blobs do not have': plant('node', RUNTIME, [
    `import { blobs } from 'runtime'\nexport const main = (args) => ({ id: blobs.»write_text(args.who) })\n`,
    /"runtime\.blobs" does not have "write_text"/,
  ]),
  'a name that the runtime does not have': plant('node', RUNTIME, [
    `import { »logs } from 'runtime'\nexport const main = (args) => logs.info(args.who)\n`,
    /"runtime" does not have "logs"/,
  ]),
  'a default import of the runtime': plant('node', RUNTIME, [
    `import »runtime from 'runtime'\nexport const main = (args) => runtime.log.info(args.who)\n`,
    /"runtime" does not have "default"/,
  ]),
}

export const TYPESCRIPT_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'a type that is not closed': plant('typescript', SYNTAX, [
    'export function main(args: { who: string) »{\n  return args.who\n}\n'.replace(') »{', '») {'),
    /expected ';', got '\)'/,
  ]),
  'a fault after other scripts and tabs': plant('typescript', SYNTAX, [
    `const names = { 名前: '😀' }\nexport function main(args: { who: string }) {\n\treturn '日本' + names.名前 »args.who\n}\n`,
    /expected/,
  ]),
  'a type that is exported as a value': plant('typescript', SYNTAX, [
    'interface Args { who: string }\nexport { »Args }\nexport const main = (args: Args) => args.who\n',
    /'Args' is not defined/,
  ]),
  'an import of a file that is missing': plant('typescript', MISSING, [
    `import { greet } from './helper.js'\nimport { warm } from »'./tones'\nexport const main = (args: { who: string }) => warm + greet(args.who)\n`,
    /"\.\/tones" does not exist/,
    {},
    { 'code/helper.ts': 'export const greet = (who: string) => who\n' },
  ]),
  'a package of types and values': plant('typescript', IMPORT, [
    `import type { Node } from 'unist'\nimport { visit } from »'unist-util-visit'\nexport const main = (args: { who: Node }) => visit(args.who)\n`,
    /"unist-util-visit" is neither/,
  ]),
  'an undeclared host after types': plant('typescript', HOST, [
    `type Reply = { 名前: string }\nexport async function main(args: { who: string }): Promise<Reply> {\n  const url: string = '»https://api.example.org/' + args.who\n  return (await (await fetch(url)).json()) as Reply\n}\n`,
    /"https:\/\/api\.example\.org"/,
    API,
  ]),
}

const MAIN = 'main() {\n  json who="$(arg who)"\n}\n'

export const SHELL_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'a missing fi': plant('shell', SYNTAX, [
    'main() {\n  »if [[ -n $(arg who) ]]; then\n    echo 1\n}\n',
    /./,
  ]),
  'a quote that is not closed': plant('shell', SYNTAX, [
    `greeting=»"Hello\n${MAIN.replaceAll('"', '')}`,
    /unterminated double quote/,
  ]),
  'a done without a loop': plant('shell', SYNTAX, [`${MAIN}»done\n`, /unexpected token "done"/]),
  'a substitution that is not closed': plant('shell', SYNTAX, [
    `${MAIN}who=»$(date\n`,
    /unterminated command substitution/,
  ]),
  'a sourced file that is missing': plant('shell', MISSING, [
    `source »"\${BASH_SOURCE[0]%/*}/helper.sh"\n${MAIN}`,
    /"\.\/helper\.sh" does not exist/,
  ]),
  'an undeclared host of curl': plant('shell', HOST, [
    'main() {\n  curl -fsS -H "Accept: text/plain" "»https://api.example.org/$(arg who)"\n}\n',
    /"curl" sends a request to "https:\/\/api\.example\.org"/,
    API,
  ]),
  'an undeclared host in a variable': plant('shell', HOST, [
    'BASE=»https://api.example.org/v2\nmain() {\n  wget -qO- "$BASE/$(arg who)"\n}\n',
    /"wget" sends a request/,
    API,
  ]),
  'curl without a permission': plant('shell', NETWORK, [
    'main() {\n  »curl -fsS "$(arg who)"\n}\n',
    /"curl" needs the network/,
  ]),
  'an undeclared variable': plant('shell', SECRET, [
    'main() {\n  json known="${»CRM_KEY:+yes}"\n}\n',
    /"CRM_KEY" is read/,
  ]),
  'a function that the library does not have': plant('shell', RUNTIME, [
    'main() {\n  »log_warn "slow"\n  json who="$(arg who)"\n}\n',
    /does not have "log_warn"/,
  ]),
}

export const PYTHON_FAULTS: Readonly<Record<string, PlantedFault>> = {
  'an undeclared host': plant('python', HOST, [
    'import requests\n\n\ndef main(args):\n    return requests.get("»https://api.example.org/" + args["who"]).json()\n',
    /"requests\.get" sends a request/,
    API,
  ]),
  'an undeclared host in a formatted text': plant('python', HOST, [
    'import urllib.request\n\nBASE = "»https://api.example.org"\n\n\ndef main(args):\n    return urllib.request.urlopen(f"{BASE}/people/{args[\'who\']}").read().decode()\n',
    /"urllib\.request\.urlopen" sends a request/,
    API,
  ]),
  'a function that blobs do not have': plant('python', RUNTIME, [
    'from runtime import blobs\n\n\ndef main(args):\n    return {"id": blobs.»writeText(args["who"])}\n',
    /"runtime\.blobs" does not have "writeText"/,
  ]),
  'a module that the runtime does not have': plant('python', RUNTIME, [
    '»from runtime import secrets\n\n\ndef main(args):\n    return {"who": args["who"], "known": len(secrets)}\n',
    /"runtime" does not have "secrets"/,
  ]),
}
