import {
  getMember,
  getPropertyName,
  getText,
  listMembers,
  type TreeNode,
} from '../../lint/code/javascript-tree.ts'
import { LineIndex } from '../../../util/line-index.ts'
import type { Plain } from '../../skills/manifest/manifest.ts'
import type { ScriptArgument, ScriptCommand } from '../script-interface.ts'

export interface FoundInterface {
  parser: string
  commands: ScriptCommand[]
  unknown: { line: number; reason: string }[]
}

export type LineFinder = (offset: number) => number

/** Lines by offset, counted from 1. */
export function createLineFinder(text: string): LineFinder {
  const lines = new LineIndex(text)
  return (offset) => lines.positionAt(offset).line
}

/** The value of a literal; undefined for other expressions. */
export function readLiteral(node: TreeNode | undefined): Plain | undefined {
  if (!node) return undefined
  const text = getText(node)
  if (text !== undefined) return text
  if (node.type === 'Literal') return isScalar(node['value']) ? node['value'] : undefined
  if (node.type === 'UnaryExpression' && node['operator'] === '-') {
    const value = readLiteral(getMember(node, 'argument'))
    return typeof value === 'number' ? -value : undefined
  }
  if (node.type !== 'ArrayExpression') return undefined
  const values = listMembers(node, 'elements').map((each) => readLiteral(each))
  return values.every((each) => each !== undefined) ? values : undefined
}

function isScalar(value: unknown): value is Plain {
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

/** Members of an object literal by name. */
export function readMembers(node: TreeNode | undefined): Map<string, TreeNode> {
  const members = new Map<string, TreeNode>()
  for (const each of node?.type === 'ObjectExpression' ? listMembers(node, 'properties') : []) {
    const name = getPropertyName(each)
    const value = getMember(each, 'value')
    if (name !== undefined && value) members.set(name, value)
  }
  return members
}

export function readWords(node: TreeNode | undefined): string[] {
  const value = readLiteral(node)
  const list = Array.isArray(value) ? value : [value]
  return list.filter((each) => typeof each === 'string')
}

/** An option that takes one value, from which the others differ. */
export function createOption(name: string, line: number): ScriptArgument {
  return {
    name,
    flags: [name.length === 1 ? `-${name}` : `--${name}`],
    action: 'store',
    count: null,
    required: false,
    hasDefault: false,
    help: null,
    line,
  }
}

/** Facts that the option objects of yargs, parseArgs and minimist have in common. */
export function withDefault(argument: ScriptArgument, value: Plain | undefined): ScriptArgument {
  return value === undefined ? argument : { ...argument, default: value, hasDefault: true }
}

export const NO_WORDS = { words: [], help: null, line: 1 } as const
