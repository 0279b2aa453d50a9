import type { SkillFile } from '../../skills/manifest/source.ts'
import type { SafetySource } from '../safety-finding.ts'
import { cutCode } from './cut-code.ts'
import { decodeTexts } from './decode-text.ts'
import { cutMarkdown } from './markdown-passages.ts'
import type { Passage } from './passage.ts'
import { toPlainText } from './plain-text.ts'

/** A file as the reading sees it. */
export interface CutFile {
  path: string
  text: string
  /** Passages of prose, comments and texts in code and data. */
  prose: readonly Passage[]
  /** Code, with comments as blanks. */
  code: readonly { passage: Passage; code: string; isFile: boolean }[]
}

const MAX_BYTES = 512 * 1024
const MAX_FILES = 400
/** Data of more characters is read as text, but not as code. */
const MAX_DATA = 64 * 1024
const IMAGES =
  /\.(?:png|jpe?g|gif|webp|ico|pdf|woff2?|ttf|otf|eot|mp[34]|wav|mov|docx|xlsx|pptx|zip|gz|tgz|wasm|pyc)$/i
const DOCUMENTS = /\.(?:md|markdown|mdx|mdc)$/i
const TEXTS = /\.(?:txt|rst|adoc|html?|xml|svg|csv|tsv|tex|org|log)$/i
const CODE =
  /\.(?:py|[cm]?[jt]sx?|sh|bash|zsh|fish|rb|pl|php|lua|ps1|psm1|bat|cmd|go|rs|swift|applescript|r|awk)$/i
const VENDORED = /(?:^|\/)(?:node_modules|\.venv|venv|__pycache__|\.git)\//

/** The reason for which a file is not read. */
export function findObstacle({ path, type, size }: SkillFile, count: number): string | undefined {
  if (type === 'directory') return undefined
  if (type === 'symlink') return 'it is a link'
  if (type !== 'file') return 'it is not a file'
  if (IMAGES.test(path)) return 'it is not text'
  if (VENDORED.test(path)) return 'it belongs to an installed package'
  if (size > MAX_BYTES) return `it is larger than ${MAX_BYTES / 1024} KiB`
  return count >= MAX_FILES ? `only ${MAX_FILES} files are read` : undefined
}

/** Cuts a file into passages, with what is encoded in it. */
export function readFilePassages(skill: SafetySource, path: string, text: string): CutFile {
  const file = DOCUMENTS.test(path)
    ? cutDocument(skill, path, text)
    : isCodeFile(path, text)
      ? readCodeFile(path, text)
      : readDataFile(path, text)
  const decoded = readDecoded(path, text, file.prose)
  return {
    path,
    text,
    prose: [...file.prose, ...decoded],
    code: [
      ...file.code,
      ...decoded.map((passage) => ({ passage, code: passage.text, isFile: false })),
    ],
  }
}

type Parts = Pick<CutFile, 'prose' | 'code'>

function isCodeFile(path: string, text: string): boolean {
  return (
    CODE.test(path) ||
    text.startsWith('#!') ||
    /(?:^|\/)(?:Makefile|Dockerfile|Justfile)$/i.test(path)
  )
}

const DATA_LANGUAGES = /^(?:json|jsonc|ya?ml|toml|text|txt|markdown|md|html|xml|csv|diff|mermaid|)$/

function cutDocument(skill: SafetySource, path: string, text: string): Parts {
  const body = path === 'SKILL.md' ? (skill.markdown?.bodyStart ?? 0) : 0
  const front = body > 0 ? [createPassage(path, text, { start: 0, end: body })] : []
  const passages = [
    ...front,
    ...cutMarkdown(path, text.slice(body)).map((each) => move(each, body)),
  ]
  const blocks = passages.filter(({ kind }) => kind === 'code')
  const prose = passages.flatMap((passage) => {
    if (passage.kind === 'prose') return [passage]
    if (DATA_LANGUAGES.test(passage.language)) return [passage]
    return cutCode(passage.text, passage.language).comments.map((span) => ({
      ...narrow(passage, span),
      isRemark: true,
    }))
  })
  const inline = passages.filter(
    ({ kind, text: each }) => kind === 'prose' && /`[^`\n]{8,}`/.test(each),
  )
  return {
    prose,
    code: [
      ...blocks.map((passage) => ({
        passage,
        code:
          DATA_LANGUAGES.test(passage.language) && passage.language !== ''
            ? passage.text
            : cutCode(passage.text, passage.language).code,
        isFile: false,
      })),
      ...inline.flatMap(listInlineCode),
    ],
  }
}

/** Commands between backticks. */
function listInlineCode(passage: Passage) {
  return [...passage.text.matchAll(/`([^`\n]{8,600})`/g)].map((match) => {
    const start = match.index + 1
    const part = narrow(passage, { start, end: start + (match[1] ?? '').length })
    const before = passage.text.slice(Math.max(0, start - 200), start - 1)
    const lead = `${passage.intro.slice(-120)} ${before}`
    return {
      passage: { ...part, kind: 'code' as const, intro: lead },
      code: part.text,
      isFile: false,
    }
  })
}

function move(passage: Passage, by: number): Passage {
  if (by === 0) return passage
  return {
    ...passage,
    toSpan: (from, to) => {
      const { start, end } = passage.toSpan(from, to)
      return { start: start + by, end: end + by }
    },
  }
}

/** A part of a passage. */
function narrow(passage: Passage, { start, end }: { start: number; end: number }): Passage {
  return {
    ...passage,
    text: passage.text.slice(start, end),
    toSpan: (from, to) => passage.toSpan(start + from, start + to),
  }
}

function createPassage(
  file: string,
  source: string,
  { start, end }: { start: number; end: number },
): Passage {
  const plain = toPlainText(source.slice(start, end))
  return {
    file,
    text: plain.text,
    kind: 'prose',
    language: /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? '',
    headings: '',
    intro: '',
    hiding: undefined,
    isQuote: false,
    toSpan: (from, to) => {
      const span = plain.toSpan(from, to)
      return { start: span.start + start, end: span.end + start }
    },
  }
}

const MIN_TEXT = 30

function readCodeFile(path: string, text: string): Parts {
  const whole = {
    ...createPassage(path, text, { start: 0, end: text.length }),
    kind: 'code' as const,
  }
  const cut = cutCode(whole.text, detectLanguage(path, text))
  const comments = joinComments(whole.text, cut.comments).map((span) => ({
    ...narrow(whole, span),
    isRemark: true,
  }))
  const strings = cut.strings
    .filter(
      ({ start, end }) => end - start > MIN_TEXT && / \S+ /.test(whole.text.slice(start, end)),
    )
    .map((span) => ({
      ...narrow(whole, span),
      intro: whole.text.slice(Math.max(0, span.start - 200), span.start),
      isQuote: true,
    }))
  return {
    prose: [...comments, ...strings].map((each) => ({ ...each, kind: 'prose' as const })),
    code: [{ passage: whole, code: cut.code, isFile: true }],
  }
}

function detectLanguage(path: string, text: string): string {
  const shebang = /^#![^\n]*?\b(python|node|bash|sh|zsh|ruby|perl|deno)\b/.exec(text)?.[1]
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase()
  return extension ?? (shebang === 'node' || shebang === 'deno' ? 'js' : (shebang ?? 'sh'))
}

/** Joins comments on lines that follow each other, so that a sentence stays whole. */
function joinComments(text: string, spans: readonly { start: number; end: number }[]) {
  const joined: { start: number; end: number }[] = []
  for (const span of spans) {
    const last = joined.at(-1)
    const isNext =
      last && /^\s{0,200}$/.test(text.slice(last.end, span.start)) && span.end - last.start < 3000
    if (isNext) last.end = span.end
    else joined.push({ ...span })
  }
  return joined
}

function readDataFile(path: string, text: string): Parts {
  const whole = createPassage(path, text, { start: 0, end: text.length })
  const passages =
    !/\.[ct]sv$/i.test(path) && (/\.html?$|\.svg$|\.xml$/i.test(path) || TEXTS.test(path))
      ? cutMarkdown(path, text)
      : [
          { ...whole, isQuote: isTestData(path), isRemark: /\.[ct]sv$/i.test(path) },
          ...(/\.ya?ml$/i.test(path) ? listScalars(whole) : []),
        ]
  const code = { passage: { ...whole, kind: 'code' as const }, code: whole.text, isFile: false }
  return { prose: passages, code: text.length > MAX_DATA ? [] : [code] }
}

/** Texts of several lines of YAML, whose sentences do not end with the line. */
function listScalars(whole: Passage): Passage[] {
  return [...whole.text.matchAll(SCALAR)].map(({ 0: found, 1: head = '', index }) => ({
    ...narrow(whole, { start: index + head.length, end: index + found.length }),
    language: '',
  }))
}

const SCALAR = /^(([ \t]*)(?:- )?["'\w.-]{1,60}:[ \t]*[>|][+-]?[ \t]*\n)(?:\2[ \t]+\S.*(?:\n|$))+/gm

function isTestData(path: string): boolean {
  return /(?:^|\/)(?:tests?|evals?|fixtures?)\//i.test(path)
}

/** Texts that stand encoded in a file, with the passage around them. */
function readDecoded(path: string, text: string, prose: readonly Passage[]): Passage[] {
  return decodeTexts(text).map(({ text: decoded, encoding, start, end }) => {
    const around = prose.find((each) => {
      const span = each.toSpan(0, each.text.length)
      return span.start <= start && span.end >= end
    })
    return {
      file: path,
      text: decoded,
      kind: 'prose',
      language: '',
      headings: around?.headings ?? '',
      intro: `${around?.intro ?? ''} ${text.slice(Math.max(0, start - 200), start)}`,
      hiding: /tags|selectors|zero/.test(encoding) ? 'invisible' : 'encoded',
      isQuote: false,
      toSpan: () => ({ start, end }),
    }
  })
}
