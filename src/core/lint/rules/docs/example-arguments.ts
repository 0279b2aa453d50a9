import { findNearest } from '../../../../util/find-nearest.ts'
import type { LintedSkill, Rule } from '../../rule.ts'
import { acceptsUndeclared } from '../../../skills/manifest/find-undeclared-input.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { listMisnamedCalls } from '../../examples/example-calls.ts'
import { listCheckedCalls, nameCall } from '../../examples/checked-calls.ts'

export const EXAMPLE_ARGUMENTS: Rule = {
  id: 'docs/example-arguments',
  severity: 'warning',
  what: 'An example call passes an argument that is not declared',
  why: 'Models copy examples, including their mistakes.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nGreets the person named in `who`.\n\n```sh\nskills exec demo.greet --arg whom=Ada\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Use the declared name, or declare the input.',
  // eslint-disable-next-line complexity -- one finding for each mistake of an argument
  check(skill, report) {
    const { inputs, name: own } = skill.manifest
    for (const { text, start, end } of listMisnamedCalls(skill)) {
      const message = `The example calls "${text}", but the skill is "${own}"`
      report({ file: 'SKILL.md', span: { start, end }, message, help: `Write ${own}` })
    }
    const declared = Object.keys(skill.manifest.inputs)
    if (declared.length === 0) return
    const isOpen = acceptsUndeclared(skill.manifest)
    for (const { file, arguments: passed, isFailure } of listCheckedCalls(skill)) {
      if (isFailure) continue
      for (const { name, nameSpan, valueSpan, path, text } of passed) {
        const isBlob = inputs[name]?.type === 'blob'
        if (path !== undefined && declared.includes(name) && (!isBlob || !mayExist(skill, path))) {
          const message = isBlob
            ? `The example passes the file "${path}", which the skill does not have`
            : `The example passes "${name}" with --blob, but it is not a blob`
          report({
            file,
            span: valueSpan,
            message,
            help: isBlob ? 'Correct the path' : 'Use --arg',
          })
        }
        if (isBlob && text !== undefined && /[./]/.test(text) && file === 'SKILL.md') {
          const message = `The example passes the blob "${name}" as a text`
          report({ file, span: valueSpan, message, help: `Write --blob ${name}=<file>` })
        }
        if (declared.includes(name) || (isOpen && file.startsWith('tests/'))) continue
        const guess = findNearest(name, declared)
        report({
          file,
          span: nameSpan,
          message: `The ${nameCall(file)} passes "${name}", which is not declared under [inputs]`,
          help: guess ? `Did you mean "${guess}"?` : `Declared inputs: ${declared.join(', ')}`,
        })
      }
    }
  },
}

/** False for a path in a folder of the skill, or after its name, that is not there. */
function mayExist({ files, folder }: LintedSkill, path: string): boolean {
  const [, inside] =
    new RegExp(`(?:^|/)${folder.replaceAll(/\W/g, String.raw`\$&`)}/(.+)$`).exec(path) ?? []
  const relative = (inside ?? path).replace(/^\.\//, '')
  const isOwn =
    inside !== undefined || /^(?:resources|references|assets|examples|data)\//.test(relative)
  return !isOwn || files.some((each) => each.path === relative)
}
