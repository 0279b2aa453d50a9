import type { CodeFacts } from '../../code/code-facts.ts'
import { listParsedCode } from '../../code/code-files.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
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
  // eslint-disable-next-line complexity -- one condition for each language
  check(skill, report) {
    const { language, entrypoint, export: name } = skill.manifest.runtime ?? {}
    if (!language || !entrypoint || !name || language === 'python') return
    const text = skill.read(entrypoint)
    const isShell = language === 'shell'
    const escaped = name.replaceAll(/[^\w]/g, String.raw`\$&`)
    if (text === undefined || (isShell && mayDefineShellFunction(skill, text, escaped))) return
    const facts = skill.getCodeFacts(entrypoint)
    if (!isShell && (!facts || facts.problem || (facts.exports?.includes(name) ?? true))) return
    const defined = new RegExp(
      `\\bfunction\\s*\\*?\\s*${escaped}\\b|\\b(?:const|let|var)\\s+${escaped}\\b`,
    ).exec(text)
    report({
      ...(defined && !isShell
        ? {
            file: entrypoint,
            span: { start: defined.index, end: defined.index + defined[0].length },
          }
        : locateInToml(skill, ['runtime', 'export'])),
      message: `"${entrypoint}" ${isShell ? 'defines' : 'exports'} no function ${quoteValue(name)}`,
      help: isShell ? `Add: ${name}() { … }` : `Write: export function ${name}(args) { … }`,
    })
  },
}

// eslint-disable-next-line max-params -- the skill, its script, and the name
function mayDefineShellFunction(skill: LintedSkill, text: string, escapedName: string): boolean {
  const scripts = listParsedCode(skill).map(({ facts }) => facts)
  const sources = (facts: CodeFacts) =>
    facts.commands.filter(({ name }) => /^(?:source|\.)$/.test(name))
  // All sourced files are known: one of the scripts defines the function, or none does.
  if (
    scripts.length > 0 &&
    scripts.every((facts) => sources(facts).length === facts.imports.length)
  ) {
    const defined = scripts.flatMap(({ definitions }) => definitions)
    if (!/\beval\b/.test(text))
      return defined.some((each) => each.replaceAll(/[^\w]/g, String.raw`\$&`) === escapedName)
  }
  const isDefined = String.raw`(?:^|[;\s])(?:function\s+${escapedName}(?![\w-])|${escapedName}\s*\(\s*\))`
  // A sourced file or `eval` may define the function.
  return new RegExp(isDefined).test(text) || /(?:^|[;\s])(?:source|\.|eval)\s/.test(text)
}
