import type { Node } from 'jsonc-parser'
import type { Manifest } from '../../skills/manifest/manifest.ts'
import type { ExampleArgument, ExampleCall } from './example-call.ts'
import { parseJsonTree } from '../../../util/text/json-tree.ts'

/**
 * Arguments in a block of JSON: those of a request that names the skill, or the block itself below
 * a heading such as "Input".
 */
export function readJsonExample(
  { text, start }: { text: string; start: number },
  { name, inputs }: Manifest,
  heading: string,
): ExampleCall[] {
  const isInput = /^(?:example )?(?:inputs?|arguments?|args)\b/i.test(heading)
  if (!isInput && !text.includes(`"${name}"`)) return []
  const { tree, errors } = parseJsonTree(text)
  if (tree?.type !== 'object' || errors.length > 0) return []
  const request = findArguments(tree, name)
  // A schema of the inputs is not an example of them.
  const isExample = isInput && listMemberNames(tree).some((each) => Object.hasOwn(inputs, each))
  const found = request ?? (isExample ? tree : undefined)
  if (found?.type !== 'object') return []
  const span = { start: start + found.offset, end: start + found.offset + 1 }
  const isPartial = /\.\.\.|…/.test(text)
  const members = readMembers(found, text, start)
  return [{ file: 'SKILL.md', span, arguments: members, isPartial, isFailure: false }]
}

/** The value of `args` next to the name of the skill, in the object or one level below. */
function findArguments(tree: Node, skill: string): Node | undefined {
  const members = new Map(listMembers(tree))
  const isNamed = ['skill', 'name'].some((key) => members.get(key)?.value === skill)
  if (isNamed) return members.get('args') ?? members.get('arguments')
  for (const value of members.values()) {
    const found = value.type === 'object' ? findArguments(value, skill) : undefined
    if (found) return found
  }
  return undefined
}

function listMemberNames(tree: Node): string[] {
  return listMembers(tree).map(([name]) => name)
}

function listMembers({ children = [] }: Node): [string, Node][] {
  return children.flatMap(({ children: [key, value] = [] }) =>
    key && value ? [[key.value as string, value] as [string, Node]] : [],
  )
}

/** Members of a JSON object; the offset is that of the whole text. */
export function readMembers(tree: Node, text: string, base: number): ExampleArgument[] {
  return (tree.children ?? []).flatMap(({ children: [key, value] = [] }) => {
    if (!key || !value) return []
    const written = text.slice(value.offset, value.offset + value.length)
    const start = base + key.offset + 1
    return [
      {
        name: key.value as string,
        nameSpan: { start, end: start + key.length - 2 },
        text: isPlaceholder(written) ? undefined : written,
        isJson: true,
        valueSpan: { start: base + value.offset, end: base + value.offset + value.length },
      },
    ]
  })
}

/** True for a text that stands for a value: `<path>`, `{id}`, `...`. */
export function isPlaceholder(text: string): boolean {
  return /\.\.\.|…|<[^<>]*>|^["']?\{\w*\}["']?$|^["']?\[\w*\]["']?$|^["']?[A-Z][A-Z0-9]*_[A-Z0-9_]+["']?$/.test(
    text,
  )
}
