import { isText } from '../../../util/mime.ts'
import { countField, nameField, requiredField, tableField } from '../document/field.ts'
import { describeBytes } from './describe-bytes.ts'
import { defineExpectation } from './expectation.ts'
import { judgeText, TEXT_CONDITIONS } from './text-condition.ts'

export const FILE = defineExpectation({
  name: 'file',
  summary: 'A file of the workspace after the run; with only a path, that it exists',
  example: '{ file = { path = "out/report.md", contains = "Total" } }',
  field: tableField('A file of the workspace after the run', {
    path: requiredField(nameField('Path below the workspace')),
    ...TEXT_CONDITIONS,
    size: countField('Size in bytes'),
  }),
  needs: () => ['workspace'],
  judge({ path = '', size, ...condition }, { files, status }) {
    const bytes = files.read(path)
    if (!bytes) {
      const got = files.isKnown ? 'none' : `the status "${status}"`
      return { isMet: false, expected: `the file "${path}"`, got }
    }
    if (size !== undefined && bytes.length !== size) {
      return {
        isMet: false,
        expected: `"${path}" to have ${size} bytes`,
        got: String(bytes.length),
      }
    }
    if (Object.keys(condition).length === 0) return { isMet: true, expected: `the file "${path}"` }
    if (!isText(bytes)) {
      return { isMet: false, expected: `"${path}" to be text`, got: describeBytes(bytes) }
    }
    return judgeText(`"${path}"`, bytes.toString('utf8'), condition)
  },
})
