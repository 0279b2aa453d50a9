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
    if (!language || !entrypoint || !name) return
    const text = skill.read(entrypoint)
    if (text === undefined || mayDefineName(language, text, name)) return
    const isShell = language === 'shell'
    report({
      ...locateInToml(skill, ['runtime', 'export']),
      message: `"${entrypoint}" ${isShell ? 'defines' : 'exports'} no function ${quoteValue(name)}`,
      help: isShell ? `Add: ${name}() { … }` : `Write: export function ${name}(args) { … }`,
    })
  },
}

/** False if the text of a file cannot define a name; true if in doubt. */
function mayDefineName(language: string, text: string, name: string): boolean {
  const escapedName = name.replaceAll(/[^\w]/g, String.raw`\$&`)
  switch (language) {
    case 'node':
    case 'typescript':
      return mayExportName(text, escapedName)
    case 'shell':
      return mayDefineShellFunction(text, escapedName)
    default:
      return true
  }
}

function mayExportName(text: string, escapedName: string): boolean {
  const patterns = [
    String.raw`export\s+(?:default\s+)?(?:async\s+)?(?:function\s*\*?|const|let|var|class)\s*${escapedName}(?![\w$])`,
    String.raw`export\s*\{[^}]*(?<![\w$])${escapedName}(?![\w$])[^}]*\}`,
    // Destructuring exports, re-exports and CommonJS exports may define any name.
    String.raw`export\s+(?:const|let|var)\s*[{[]`,
    String.raw`export\s*\*`,
    String.raw`(?:^|[^\w$.])(?:module\s*\.\s*)?exports\b`,
  ]
  if (escapedName === 'default') patterns.push(String.raw`export\s+default\b`)
  // A default export of an object may define any name, as CommonJS does.
  if (
    /export\s+default\s*[{\w]/.test(text) &&
    !/export\s+default\s+(?:async\s+)?function/.test(text)
  )
    return true
  return patterns.some((pattern) => new RegExp(pattern).test(text))
}

function mayDefineShellFunction(text: string, escapedName: string): boolean {
  const isDefined = String.raw`(?:^|[;\s])(?:function\s+${escapedName}(?![\w-])|${escapedName}\s*\(\s*\))`
  // A sourced file or `eval` may define the function.
  return new RegExp(isDefined).test(text) || /(?:^|[;\s])(?:source|\.|eval)\s/.test(text)
}
