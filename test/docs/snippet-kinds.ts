import { DOCUMENTS, listSnippets, type Snippet } from './documents.ts'

export const SNIPPETS = DOCUMENTS.flatMap((document) => listSnippets(document))

/** Kinds of snippets, each with the documents' ones that it is about. A snippet without a kind fails. */
const KINDS = {
  console: ({ language }) => language === 'console',
  curl: ({ language, code }) => language === 'sh' && code.startsWith('curl '),
  action: ({ language, code }) => ACTIONS.some((each) => isAction(each, { language, code })),
  commands: ({ language, code }) => language === 'sh' && !code.startsWith('curl '),
  suite: ({ language, code }) => language === 'toml' && code.includes('[[cases]]\n'),
  cassette: ({ language, code }) => language === 'toml' && code.includes('[[exchanges]]'),
  policy: ({ language, code }) => language === 'toml' && /^\[(?:allow|deny|\[rules)/m.test(code),
  manifest: ({ language, code }) =>
    language === 'toml' &&
    /^(?:kind =|\[permissions\]|\[dependencies\]|\[requires\]|\[\[examples\]\])/m.test(code),
  configuration: ({ language }) => language === 'toml',
  typescript: ({ language }) => language === 'ts',
  json: ({ language }) => language === 'json',
  hooks: ({ language, code }) => language === 'yaml' && code.startsWith('repos:'),
  chart: ({ language, code }) => language === 'yaml' && code.startsWith('# values.yaml\n'),
  skillText: ({ language, code }) => language === 'markdown' && code.startsWith('---\n'),
  tree: ({ language, code }) => language === 'text' && code.startsWith('weather/'),
} as const satisfies Record<string, (snippet: Pick<Snippet, 'language' | 'code'>) => boolean>
type Kind = keyof typeof KINDS

/** Code of actions: how each is recognised, and the skill that runs it. */
export const ACTIONS = [
  {
    language: 'js',
    begins: '// code/main.js',
    runtime: 'node',
    file: 'main.js',
    shows: '"3 words"',
  },
  {
    language: 'sh',
    begins: '# code/main.sh',
    runtime: 'shell',
    file: 'main.sh',
    shows: '"count": 3',
  },
  {
    language: 'python',
    begins: 'from runtime import',
    runtime: 'python',
    file: 'main.py',
    shows: '"21 °C"',
  },
] as const

export function isAction(
  action: (typeof ACTIONS)[number],
  { language, code }: Pick<Snippet, 'language' | 'code'>,
): boolean {
  return action.language === language && code.startsWith(action.begins)
}

export function findKind(snippet: Snippet): Kind | undefined {
  return (Object.keys(KINDS) as Kind[]).find((kind) => KINDS[kind](snippet))
}

export function describePlace({ document, line }: Snippet): string {
  return `${document}:${line}`
}

/** Snippets of one kind, each under its place. */
export function listKind(kind: Kind): [place: string, snippet: Snippet][] {
  const found = SNIPPETS.filter((snippet) => findKind(snippet) === kind)
  return found.map((snippet) => [describePlace(snippet), snippet])
}

/** The console blocks of a document, in their order. */
export function listConsoleBlocks(document: string): Snippet[] {
  return listSnippets(document).filter(({ language }) => language === 'console')
}
