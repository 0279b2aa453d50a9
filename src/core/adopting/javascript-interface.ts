import type { Program } from 'acorn'
import {
  getDottedName,
  getIdentifier,
  getMember,
  getPropertyName,
  getText,
  listMembers,
  visitTree,
  type FileTree,
  type TreeNode,
} from '../lint/code/javascript-tree.ts'
import { readCommander } from './javascript/commander.ts'
import { readMinimist, readParseArgs, readYargs } from './javascript/option-objects.ts'
import { createLineFinder } from './javascript/literal.ts'
import { EMPTY_INTERFACE, type NamedLine, type ScriptInterface } from './script-interface.ts'

const PARSERS = [
  ['commander', readCommander],
  ['yargs', readYargs],
  ['minimist', readMinimist],
] as const

/** Reads the interface of a parsed JavaScript file. */
export function readJavaScriptInterface(root: Program, text: string): ScriptInterface {
  const tree = visitTree(root)
  const lineAt = createLineFinder(text)
  const specifiers = listSpecifiers(tree)
  const reader = PARSERS.find(([name]) => specifiers.has(name))?.[1] ?? readParseArgs
  const found = reader(tree, lineAt)
  const usesArgv = tree('MemberExpression').some(
    ({ node }) => getDottedName(node) === 'process.argv',
  )
  return {
    ...EMPTY_INTERFACE,
    parser: found ? found.parser : usesArgv ? 'argv' : null,
    isProgram: found !== undefined || usesArgv || hasStatements(root),
    takesRest: !found && usesArgv,
    commands: found ? found.commands : EMPTY_INTERFACE.commands,
    unknown: found ? found.unknown : [],
    programs: listPrograms(tree, lineAt),
    writes: listWrites(tree, lineAt),
  }
}

function listSpecifiers(tree: FileTree): Set<string> {
  const imported = tree('ImportDeclaration').map(({ node }) => getText(getMember(node, 'source')))
  const required = tree('CallExpression')
    .filter(({ node }) => getIdentifier(getMember(node, 'callee')) === 'require')
    .map(({ node }) => getText(listMembers(node, 'arguments')[0]))
  return new Set([...imported, ...required].map((each) => each?.replace(/\/.*$/, '') ?? ''))
}

/** True if the file does something when it is started, besides definitions. */
function hasStatements(root: Program): boolean {
  const isExporting = root.body.some(({ type }) => type.startsWith('Export'))
  return !isExporting && root.body.some(({ type }) => type === 'ExpressionStatement')
}

const STARTERS = /^(?:\w+\.)?(?:spawn|spawnSync|exec|execSync|execFile|execFileSync|execa)$/
const WRITERS = /(?:^|\.)(?:writeFile|writeFileSync|appendFile|appendFileSync|createWriteStream)$/

function listPrograms(tree: FileTree, lineAt: (offset: number) => number): NamedLine[] {
  return listCalls(
    tree,
    (name) => STARTERS.test(name) && !/^(?:re|regex|pattern)\./i.test(name),
  ).map(({ node, first }) => ({
    line: lineAt(node.start),
    name: first?.trim().split(/\s/)[0] ?? null,
  }))
}

function listWrites(tree: FileTree, lineAt: (offset: number) => number): NamedLine[] {
  return listCalls(tree, (name) => WRITERS.test(name)).map(({ node, first }) => ({
    line: lineAt(node.start),
    name: first ?? null,
  }))
}

function listCalls(
  tree: FileTree,
  matches: (name: string) => boolean,
): { node: TreeNode; first: string | undefined }[] {
  return tree('CallExpression').flatMap(({ node }) => {
    const callee = getMember(node, 'callee')
    const name = getDottedName(callee) ?? getPropertyName(callee) ?? ''
    const isCall = callee?.type === 'Identifier' || callee?.type === 'MemberExpression'
    return isCall && matches(name)
      ? [{ node, first: getText(listMembers(node, 'arguments')[0]) }]
      : []
  })
}
