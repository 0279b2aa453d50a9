import { scanMarkdown } from '../../lint/markdown/markdown-scan.ts'
import { readMarkdown } from '../../skills/manifest/markdown-source.ts'
import type { SkillSource } from '../../skills/manifest/source.ts'
import { guessArguments } from './script-arguments.ts'
import { useSkillPaths } from './skill-paths.ts'
import type { Subject, SubjectCommand } from './subject.ts'

const MAX_DOCUMENTS = 30
const MAX_BLOCKS = 40
const MAX_BLOCK = 64 * 1024
const SHELL = /^(?:bash|sh|shell|zsh|console|terminal|shellsession|shell-session)$/i
const PYTHON = /^(?:python3?|py)$/i
const NODE = /^(?:js|mjs|cjs|javascript|node)$/i
/** Hosts of agents execute it when they load the text. */
const LOAD_COMMAND = /(?:^|\s)!`([^`\n]{1,2000})`/gm

/** Lists the documented examples of a skill: the code blocks of its Markdown files. */
export function listCodeBlocks(source: SkillSource, folder: string): Subject[] {
  const documents = source.files
    .filter(({ path, type }) => type === 'file' && /\.(?:md|markdown|mdx)$/i.test(path))
    .slice(0, MAX_DOCUMENTS)
  return documents
    .flatMap(({ path }) => listBlocks(path, source.read(path) ?? ''))
    .slice(0, MAX_BLOCKS)
    .flatMap(({ path, line, language, text }) => {
      const command = planBlock(language, useSkillPaths(text, source, folder))
      if (!command) return []
      // After `-e` and `-c`, words are arguments of the text.
      const zero = ZERO[command.program] ?? []
      const commands = [[], ...guessArguments(text)].map((words) => ({
        ...command,
        args: [...command.args, ...(words.length > 0 ? [...zero, ...words] : [])],
      }))
      return [{ name: `${path}:${line}`, file: path, line, text, commands }]
    })
}

/** Words that stand for the name of the program. */
const ZERO: Readonly<Record<string, readonly string[]>> = {
  bash: ['bash'],
  node: ['--', 'block.js'],
}

interface DocumentedBlock {
  path: string
  line: number
  language: string
  text: string
}

function listBlocks(path: string, text: string): DocumentedBlock[] {
  const { code } = scanMarkdown(readMarkdown(path, text))
  const countLine = (offset: number) => text.slice(0, offset).split('\n').length
  return [
    ...code
      .filter((block) => block.text.trim() !== '' && block.text.length <= MAX_BLOCK)
      .map((block) => ({
        path,
        line: countLine(block.start),
        language: block.language,
        text: block.text,
      })),
    ...[...text.matchAll(LOAD_COMMAND)].map((match) => ({
      path,
      line: countLine(match.index),
      language: 'sh',
      text: match[1] ?? '',
    })),
  ]
}

function planBlock(language: string, text: string): SubjectCommand | undefined {
  if (SHELL.test(language)) return { program: 'bash', args: ['-c', selectCommands(text)] }
  if (PYTHON.test(language)) return { program: 'python3', args: ['-c', text] }
  if (!NODE.test(language)) return undefined
  const type = /^\s*(?:import|export)\s/m.test(text) ? ['--input-type=module'] : []
  return { program: 'node', args: [...type, '-e', text] }
}

/** Selects the lines after prompts, if the block shows a terminal. */
function selectCommands(text: string): string {
  const prompted = text.split('\n').filter((line) => /^\s*[$%] /.test(line))
  return prompted.length === 0
    ? text
    : prompted.map((line) => line.replace(/^\s*[$%] /, '')).join('\n')
}
