import {
  getIdentifier,
  getMember,
  getPropertyName,
  getText,
  listMembers,
  type FileTree,
  type TreeNode,
} from '../../lint/code/javascript-tree.ts'
import type { ScriptArgument, ScriptCommand } from '../script-interface.ts'
import {
  createOption,
  readLiteral,
  withDefault,
  type FoundInterface,
  type LineFinder,
} from './literal.ts'

interface Command {
  words: string[]
  help: string | null
  line: number
  arguments: ScriptArgument[]
}

interface WrittenOption {
  text: string | undefined
  help: string | null
  args: readonly TreeNode[]
  line: number
  isRequired: boolean
}

/** Chains such as `program.command('add <name>').option('-f, --force', 'text')`. */
export function readCommander(tree: FileTree, lineAt: LineFinder): FoundInterface | undefined {
  const reader = new CommanderReader(lineAt)
  // The innermost call of a chain ends first.
  const calls = tree('CallExpression').toSorted((a, b) => a.node.end - b.node.end)
  for (const { node, parent } of calls) reader.readCall(node, parent)
  const commands: ScriptCommand[] = [...reader.commands.values()].filter(
    (each, _, all) => each.arguments.length > 0 || each.words.length > 0 || all.length === 1,
  )
  return { parser: 'commander', commands, unknown: reader.unknown }
}

class CommanderReader {
  readonly #lineAt: LineFinder
  readonly #root: Command = { words: [], help: null, line: 1, arguments: [] }
  readonly #byNode = new Map<TreeNode, Command>()
  readonly #byName = new Map<string, Command>()
  readonly commands = new Map<string, Command>([['', this.#root]])
  readonly unknown: FoundInterface['unknown'] = []

  constructor(lineAt: LineFinder) {
    this.#lineAt = lineAt
  }

  readCall(node: TreeNode, parent: TreeNode | undefined): void {
    const callee = getMember(node, 'callee')
    const object = getMember(callee, 'object')
    const method = getPropertyName(callee) ?? ''
    if (!object) return
    const name = getIdentifier(object)
    const owner =
      this.#byNode.get(object) ??
      (name === undefined ? undefined : this.#byName.get(name)) ??
      this.#root
    const own = this.#apply(method, node, owner)
    this.#byNode.set(node, own)
    const target = getIdentifier(getMember(parent, 'id'))
    if (target !== undefined && own !== this.#root) this.#byName.set(target, own)
  }

  #apply(method: string, node: TreeNode, owner: Command): Command {
    const args = listMembers(node, 'arguments')
    const text = getText(args[0])
    const help = getText(args[1]) ?? null
    const line = this.#lineAt(getMember(getMember(node, 'callee'), 'property')?.start ?? node.start)
    switch (method) {
      case 'command':
        return this.#addCommand({ text, line, help, owner })
      case 'option':
      case 'requiredOption':
        this.#addOption({ text, help, args, line, isRequired: method !== 'option' }, owner)
        break
      case 'argument':
        owner.arguments.push(toPositional(text ?? '', help, line))
        break
      case 'description':
        owner.help = text ?? null
        break
      default:
    }
    return owner
  }

  #addOption(option: WrittenOption, owner: Command): void {
    const { text, line } = option
    if (text !== undefined) owner.arguments.push(toOption(text, option))
    else this.unknown.push({ line, reason: 'the name of an option is computed' })
  }

  #addCommand({
    text,
    line,
    help,
    owner,
  }: {
    text: string | undefined
    line: number
    help: string | null
    owner: Command
  }): Command {
    const [word, ...positionals] = text?.trim().split(/\s+/) ?? []
    if (word === undefined || word === '') {
      this.unknown.push({ line, reason: 'the name of a command is computed' })
      return owner
    }
    const words = [...owner.words, word]
    const command: Command = {
      words,
      help,
      line,
      arguments: positionals.map((each) => toPositional(each, null, line)),
    }
    this.commands.set(words.join(' '), command)
    return command
  }
}

function toPositional(written: string, help: string | null, line: number): ScriptArgument {
  const name = written.replace(/^[<[]|[>\]]$/g, '').replace(/\.\.\.$/, '')
  const isMany = written.includes('...')
  return {
    ...createOption(name, line),
    flags: [],
    count: isMany ? '*' : null,
    required: !written.startsWith('['),
    help,
  }
}

/** Flags in commander's notation: `-o, --output <file>`. */
function toOption(
  written: string,
  { help, args, line, isRequired }: WrittenOption,
): ScriptArgument {
  const flags = written.split(/[ ,|]+/).filter((each) => /^--?[\w-]+$/.test(each))
  const value = /[<[]([^>\]]*)[>\]]/.exec(written)?.[1]
  const name = (flags.find((each) => each.startsWith('--')) ?? flags[0] ?? written).replace(
    /^-+/,
    '',
  )
  const action = value === undefined ? 'store_true' : value.endsWith('...') ? 'append' : 'store'
  const option = {
    ...createOption(name, line),
    flags,
    action,
    required: isRequired,
    help,
  }
  const isParsed = /^(?:parseInt|parseFloat|Number)$/.test(getIdentifier(args[2]) ?? '')
  const type = getIdentifier(args[2]) === 'parseInt' ? ('integer' as const) : ('number' as const)
  return withDefault({ ...option, ...(isParsed && { type }) }, readLiteral(args[isParsed ? 3 : 2]))
}
