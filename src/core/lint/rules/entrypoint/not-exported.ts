import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import { locateInToml, quoteValue } from '../../skill-facts.ts'

const NODE_MANIFEST = createExampleToml(
  {},
  EXAMPLE_TABLES.replace('"python"', '"node"').replace('main.py', 'main.js'),
)

export const NOT_EXPORTED: Rule = {
  id: 'entrypoint/not-exported',
  severity: 'error',
  what: 'A JavaScript, TypeScript or shell entrypoint does not have the function named by runtime.export',
  why: 'The runtime calls this function.',
  example: {
    bad: {
      'skill.toml': NODE_MANIFEST,
      'code/main.js': 'function main(args) {\n  return args.who\n}\n',
    },
    good: {
      'skill.toml': NODE_MANIFEST,
      'code/main.js': 'export function main(args) {\n  return args.who\n}\n',
    },
  },
  fix: 'Export the function, or correct the name.',
  check(skill, report) {
    const { language, entrypoint, export: name } = skill.manifest.runtime ?? {}
    if (!language || !entrypoint || !name || language === 'python') return
    const text = skill.read(entrypoint)
    const isShell = language === 'shell'
    const escaped = name.replaceAll(/[^\w]/g, String.raw`\$&`)
    if (text === undefined || (isShell && mayDefineShellFunction(text, escaped))) return
    const facts = skill.getCodeFacts(entrypoint)
    if (!isShell && (!facts || facts.problem || (facts.exports?.includes(name) ?? true))) return
    report({
      ...locateInToml(skill, ['runtime', 'export']),
      message: `"${entrypoint}" ${isShell ? 'defines' : 'exports'} no function ${quoteValue(name)}`,
      help: isShell ? `Add: ${name}() { … }` : `Write: export function ${name}(args) { … }`,
    })
  },
}

function mayDefineShellFunction(text: string, escapedName: string): boolean {
  const isDefined = String.raw`(?:^|[;\s])(?:function\s+${escapedName}(?![\w-])|${escapedName}\s*\(\s*\))`
  // A sourced file or `eval` may define the function.
  return new RegExp(isDefined).test(text) || /(?:^|[;\s])(?:source|\.|eval)\s/.test(text)
}
