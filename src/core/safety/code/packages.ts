import { countCommonStart, reverseText } from '../../../util/text/characters.ts'
import type { Signal } from '../signal.ts'
import type { FoldedStatement } from './carriers.ts'

type PackageSignal = Pick<Signal, 'class' | 'severity' | 'message' | 'help'> & {
  statement: FoldedStatement
}

/** Well-known packages that others imitate, and neighbours that are well known themselves. */
const PYTHON = `requests urllib3 numpy pandas scipy matplotlib scikit-learn tensorflow torch transformers flask django
fastapi pydantic sqlalchemy boto3 botocore cryptography paramiko beautifulsoup4 selenium playwright openai anthropic langchain
pillow pyyaml jinja2 click rich typer pytest httpx aiohttp websockets psycopg2 pymongo redis celery colorama tqdm
python-dateutil python-dotenv setuptools opencv-python jsonschema markdown openpyxl python-docx pypdf pdfplumber reportlab
google-cloud-storage azure-identity web3 eth-account discord pycryptodome`
const NODE = `express react react-dom lodash axios chalk commander typescript webpack eslint prettier next vue angular
cross-env dotenv moment uuid debug mongoose mongodb puppeteer playwright socket.io electron ethers web3 openai body-parser
nodemailer jsonwebtoken bcrypt node-fetch rimraf yargs inquirer zod vite vitest jest esbuild tailwindcss prisma discord.js
cheerio sharp winston node-ipc ua-parser-js event-stream colors faker`
const NEIGHBOURS = `request request2 urllib flask2 pandoc click-log rich-click torchvision next-i18n vuex colord color fake
react-dom moment-timezone bcryptjs bcrypt lodash-es loadash chalk2 nodemon jsonschema2 jest-dom vitepress vite-node expressjs
redux preact yarn argparse typed nuxt jose uid nest vitest uuid7 uuidv4 httpx2 http httpie https pytz prism prisma djlint
axon colorama colorette torchx numba polars panda3d scrapy pydantic2 tqdm2 sharp-cli openapi pyaml ruamel.yaml web markdown2
markdownify pymarkdown pypdf2 pypdf4 pypdfium2 cherrypy cherow ethereum electrum rich-cli jinja react-query sqlalchemy2 mongo
redis-py psycopg psycopg3 aiohttps jsonschemas sharps vues seleniumbase openai-agents anthropics boto pytest-cov tester jester`

const KNOWN = { python: PYTHON.split(/\s+/), node: NODE.split(/\s+/) } as const
const INNOCENT: ReadonlySet<string> = new Set([
  ...KNOWN.python,
  ...KNOWN.node,
  ...NEIGHBOURS.split(/\s+/),
])

interface Registry {
  install: RegExp
  known: readonly string[]
  /** A package with an exact version or a digest. */
  pinned: RegExp
}

const PACKAGE = /^@?[a-z][\w-]*(?:[./][\w-]+)*(?:\[[\w,-]*\])?(?:[=<>~!@^]\S*)?$/i
const RUNNER = /^(?:uvx|npx|bunx|\S+\s+(?:run|exec|dlx|x)|uv\s+tool\s+run)\s/
/** `discord.js` is a package. */
const FILE = /\.(?:txt|toml|json|whl|gz|zip|tgz|sh|md)$/
/** An exact version, or an address. */
const PINNED_PYTHON = /===?|@\s*(?:https?:|git\+)/
/** Names in a message. */
const MAX_NAMES = 5

const REGISTRIES: readonly Registry[] = [
  {
    install:
      /\b(?:pip[\d.]*\s+install|uv\s+(?:pip\s+install|add|tool\s+(?:install|run))|uvx|pipx\s+(?:install|run)|poetry\s+add|python[\d.]*\s+-m\s+pip\s+install)\s+([^\n;&|#`]{2,400})/g,
    known: KNOWN.python,
    pinned: PINNED_PYTHON,
  },
  {
    install:
      /\b(?:npm\s+(?:i|install|add|exec)|pnpm\s+(?:i|install|add|dlx)|yarn\s+(?:add|dlx)|bun\s+(?:add|x)|npx|bunx)\s+([^\n;&|#`]{2,400})/g,
    known: KNOWN.node,
    pinned: /@v?\d+\.\d+\.\d+/,
  },
]

/** Packages that a list of dependencies names. */
export function findListedPackages(file: string, text: string): PackageSignal[] {
  const name = file.slice(file.lastIndexOf('/') + 1)
  if (/^requirements[\w.-]*\.txt$/.test(name)) {
    return [...text.matchAll(/^([A-Za-z][\w.-]+)[^\n#;]*/gm)].flatMap((match) => [
      ...describeLookalike(
        toStatement(match),
        parsePackageNames(match[1] ?? '')[0] ?? '',
        KNOWN.python,
      ),
      ...describeUnpinned(toStatement(match), [match[0].trim()], PINNED_PYTHON),
    ])
  }
  if (name !== 'package.json') return []
  return [...text.matchAll(/^\s*"([a-z][\w.-]+)"\s*:\s*"[\^~]?\d/gm)].flatMap((match) =>
    describeLookalike(toStatement(match), match[1] ?? '', KNOWN.node),
  )
}

function toStatement(match: RegExpExecArray): FoldedStatement {
  return { text: match[0], written: match[0], start: match.index, mayHarm: true }
}

/** Packages whose names are nearly those of well-known ones. */
export function findPackageSignals(statements: readonly FoldedStatement[]): PackageSignal[] {
  return statements.flatMap((statement) => {
    if (
      !statement.mayHarm ||
      !/\b(?:pip|uv|uvx|pipx|poetry|npm|pnpm|yarn|bun|npx|bunx)\b/.test(statement.text)
    )
      return []
    return REGISTRIES.flatMap(({ install, known, pinned }) =>
      [...statement.text.matchAll(install)].flatMap((match) => [
        ...parsePackageNames(match[1] ?? '').flatMap((name) =>
          describeLookalike(statement, name, known),
        ),
        ...describeUnpinned(statement, listPackageWords(match), pinned),
      ]),
    )
  })
}

/** Words of a command that name packages of a registry: no options, their values, files or addresses. */
function listPackageWords(match: RegExpExecArray): string[] {
  const words = (match[1] ?? '').replace(/\s-(?:r|c|e|t|-[\w-]+)[ =]\S+/g, ' ').split(/\s+/)
  const named = words
    .map((word) => word.replace(/["']/g, ''))
    .filter((word) => PACKAGE.test(word) && !FILE.test(word))
  // Words after the package of a runner are arguments of its program.
  return RUNNER.test(match[0]) ? named.slice(0, 1) : named
}

/** Describes packages whose code is another one at the next installation. */
function describeUnpinned(
  statement: FoldedStatement,
  words: readonly string[],
  pinned: RegExp,
): PackageSignal[] {
  const names = words.filter((word) => !pinned.test(word))
  if (names.length === 0) return []
  const listed = names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ', …' : '')
  return [
    {
      statement,
      class: 'unpinned-package',
      severity: 'info',
      message: `Packages are installed without an exact version: ${listed}`,
      help: 'Name the version that was reviewed',
    },
  ]
}

function parsePackageNames(words: string): string[] {
  return words
    .split(/\s+/)
    .filter((word) => /^["']?[a-z0-9][\w.-]*(?:[=<>~!@[][^\s]*)?["']?$/i.test(word))
    .map(
      (word) =>
        word
          .replace(/["']/g, '')
          .split(/[=<>~!@[]/)[0]
          ?.toLowerCase()
          .replaceAll('_', '-') ?? '',
    )
}

/** Describes a package whose name is nearly that of a well-known one. */
function describeLookalike(
  statement: FoldedStatement,
  name: string,
  known: readonly string[] = KNOWN.node,
): PackageSignal[] {
  const near = findImitated(name, known)
  if (near === undefined) return []
  return [
    {
      statement,
      class: 'lookalike-package',
      severity: 'warning',
      message: `The package "${name}" has nearly the name of "${near}"`,
      help: `Use "${near}", or ask the author for the source of "${name}"`,
    },
  ]
}

/** The well-known package that a name imitates. */
function findImitated(name: string, known: readonly string[]): string | undefined {
  if (name.length < 5 || INNOCENT.has(name)) return undefined
  return known.find(
    (each) => each.length >= 5 && Math.abs(each.length - name.length) <= 2 && isNear(name, each),
  )
}

/** True for one letter more, less or other, two swapped letters, or a lookalike digit. */
function isNear(name: string, known: string): boolean {
  const plain = name
    .replaceAll('0', 'o')
    .replaceAll('1', 'l')
    .replaceAll('3', 'e')
    .replaceAll('5', 's')
  if (plain === known) return plain !== name
  const start = countCommonStart(name, known)
  const rest = Math.min(name.length, known.length) - start
  const end = Math.min(rest, countCommonStart(reverseText(name), reverseText(known)))
  const own = name.slice(start, name.length - end)
  const other = known.slice(start, known.length - end)
  if (own.length === 2 && other.length === 2) return own === reverseText(other)
  return own.length <= 1 && other.length <= 1 && !/\d/.test(own)
}
