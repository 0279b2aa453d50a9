import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'

const TYPESCRIPT_MANIFEST = createExampleToml(
  {},
  EXAMPLE_TABLES.replace('"python"', '"typescript"').replace('main.py', 'main.ts'),
)

export const UNSUPPORTED_TYPESCRIPT: Rule = {
  id: 'entrypoint/unsupported-typescript',
  severity: 'error',
  what: 'A TypeScript file uses syntax that is more than a type',
  why: 'A run removes types and compiles nothing: enums, namespaces with values, parameter properties and decorators stop it.',
  example: {
    bad: {
      'skill.toml': TYPESCRIPT_MANIFEST,
      'code/main.ts':
        "enum Greeting {\n  Short = 'Hi',\n}\n\nexport function main(args: { who: string }) {\n  return { greeting: `${Greeting.Short}, ${args.who}` }\n}\n",
    },
    good: {
      'skill.toml': TYPESCRIPT_MANIFEST,
      'code/main.ts':
        "const Greeting = { Short: 'Hi' } as const\n\nexport function main(args: { who: string }) {\n  return { greeting: `${Greeting.Short}, ${args.who}` }\n}\n",
    },
  },
  fix: 'Write it in JavaScript with types: an object instead of an enum, a file instead of a namespace, a field instead of a parameter property.',
  check(skill, report) {
    // Other skills may be run by a compiler.
    if (!/^(?:typescript|node)$/.test(skill.manifest.runtime?.language ?? '')) return
    for (const { path } of skill.files) {
      for (const { construct, instead, span } of skill.getCodeFacts(path)?.unsupported ?? []) {
        report({
          file: path,
          span,
          message: `A run cannot remove this TypeScript: ${construct}`,
          help: instead,
        })
      }
    }
  },
}
