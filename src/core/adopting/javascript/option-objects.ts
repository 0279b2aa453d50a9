import {
  getDottedName,
  getIdentifier,
  getMember,
  getPropertyName,
  getText,
  listMembers,
  type FileTree,
  type TreeNode,
} from '../../lint/code/javascript-tree.ts'
import type { ScriptArgument } from '../script-interface.ts'
import {
  createOption,
  NO_WORDS,
  readLiteral,
  readMembers,
  readWords,
  withDefault,
  type FoundInterface,
  type LineFinder,
} from './literal.ts'

/** `parseArgs({ options, allowPositionals })` of node:util. */
export function readParseArgs(tree: FileTree, lineAt: LineFinder): FoundInterface | undefined {
  const call = tree('CallExpression').find(({ node }) =>
    /^(?:\w+\.)?parseArgs$/.test(getDottedName(getMember(node, 'callee')) ?? ''),
  )?.node
  if (!call) return undefined
  const settings = readMembers(listMembers(call, 'arguments')[0])
  const options = [...readMembers(resolveName(settings.get('options'), tree))].map(
    ([name, node]): ScriptArgument => {
      const facts = readMembers(node)
      const isFlag = getText(facts.get('type')) === 'boolean'
      const isMany = readLiteral(facts.get('multiple')) === true
      const option = createOption(name, lineAt(node.start))
      const action = isFlag ? 'store_true' : isMany ? 'append' : 'store'
      return withDefault({ ...option, action }, readLiteral(facts.get('default')))
    },
  )
  const takesMore = readLiteral(settings.get('allowPositionals')) === true
  const rest = takesMore ? [createPositionals(lineAt(call.start))] : []
  return {
    parser: 'parseArgs',
    commands: [{ ...NO_WORDS, arguments: [...options, ...rest] }],
    unknown: [],
  }
}

/** The object of a constant. */
function resolveName(node: TreeNode | undefined, tree: FileTree): TreeNode | undefined {
  const name = getIdentifier(node)
  if (name === undefined) return node
  const found = tree('VariableDeclarator').filter(
    (each) => getIdentifier(getMember(each.node, 'id')) === name,
  )
  return found.length === 1 ? getMember(found[0]?.node, 'init') : undefined
}

function createPositionals(line: number): ScriptArgument {
  return { ...createOption('arguments', line), flags: [], count: '*' }
}

/** `minimist(argv, { string, boolean, default, alias })`, and the names that are read from it. */
export function readMinimist(tree: FileTree, lineAt: LineFinder): FoundInterface | undefined {
  const call = tree('CallExpression').find(({ node }) =>
    /^(?:minimist|parseArgs|mri)$/.test(getIdentifier(getMember(node, 'callee')) ?? ''),
  )
  if (!call) return undefined
  const settings = readMembers(listMembers(call.node, 'arguments')[1])
  const defaults = readMembers(settings.get('default'))
  const flags = readWords(settings.get('boolean'))
  const aliases = new Set(
    [...readMembers(settings.get('alias')).values()].flatMap((each) => readWords(each)),
  )
  const variable = getIdentifier(getMember(call.parent, 'id'))
  const read = tree('MemberExpression').flatMap(({ node }) =>
    variable !== undefined && getIdentifier(getMember(node, 'object')) === variable
      ? [{ name: getPropertyName(node) ?? '', line: lineAt(node.start) }]
      : [],
  )
  const line = lineAt(call.node.start)
  const named = [...readWords(settings.get('string')), ...flags, ...defaults.keys()]
  const all = [...named.map((name) => ({ name, line })), ...read].filter(
    ({ name }) => /^\w[\w-]*$/.test(name) && name !== '_' && !aliases.has(name),
  )
  const unique = [
    ...new Map(all.toReversed().map((each) => [each.name, each])).values(),
  ].toReversed()
  const options = unique.map((each): ScriptArgument => {
    const option = createOption(each.name, each.line)
    const action = flags.includes(each.name) ? 'store_true' : 'store'
    return withDefault({ ...option, action }, readLiteral(defaults.get(each.name)))
  })
  const rest = read.some(({ name }) => name === '_') ? [createPositionals(line)] : []
  return {
    parser: 'minimist',
    commands: [{ ...NO_WORDS, arguments: [...options, ...rest] }],
    unknown: [],
  }
}

/** `.option(name, { type, demandOption, choices })`, `.options({…})`, `.positional` and `.command`. */
export function readYargs(tree: FileTree, lineAt: LineFinder): FoundInterface | undefined {
  const options: ScriptArgument[] = []
  const unknown: FoundInterface['unknown'] = []
  // The innermost call of a chain ends first.
  for (const { node } of tree('CallExpression').toSorted((a, b) => a.node.end - b.node.end)) {
    const method = getPropertyName(getMember(node, 'callee'))
    const [first, second] = listMembers(node, 'arguments')
    const line = lineAt(node.start)
    if (method === 'command') unknown.push({ line, reason: 'commands of yargs are not read' })
    if (method !== 'option' && method !== 'options' && method !== 'positional') continue
    const name = getText(first)
    if (name !== undefined) options.push(toYargsOption(name, second, { line, method }))
    else if (first?.type !== 'ObjectExpression') {
      unknown.push({ line, reason: 'the name of an argument is computed' })
    }
    for (const [each, facts] of readMembers(first)) {
      options.push(toYargsOption(each, facts, { line: lineAt(facts.start), method }))
    }
  }
  return {
    parser: 'yargs',
    commands: [{ ...NO_WORDS, arguments: options }],
    unknown,
  }
}

function toYargsOption(
  name: string,
  node: TreeNode | undefined,
  { line, method }: { line: number; method: string },
): ScriptArgument {
  const facts = readMembers(node)
  const type = getText(facts.get('type'))
  const choices = readLiteral(facts.get('choices'))
  const isRequired = ['demandOption', 'demand', 'required'].some(
    (each) => facts.has(each) && readLiteral(facts.get(each)) !== false,
  )
  const option = createOption(name, line)
  const isList = type === 'array' || readLiteral(facts.get('array')) === true
  return withDefault(
    {
      ...option,
      ...(method === 'positional' && { flags: [] }),
      action:
        type === 'boolean'
          ? 'store_true'
          : type === 'count'
            ? 'count'
            : isList
              ? 'append'
              : 'store',
      ...(type === 'number' && { type: 'number' as const }),
      ...(Array.isArray(choices) && { choices }),
      required: isRequired,
      help: getText(facts.get('describe') ?? facts.get('description') ?? facts.get('desc')) ?? null,
    },
    readLiteral(facts.get('default')),
  )
}
