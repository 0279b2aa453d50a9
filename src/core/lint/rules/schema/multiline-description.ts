import type { Rule } from '../../rule.ts'
import { createExampleToml } from '../../example-skill.ts'
import { locateInToml, replaceTomlValue, getToml, toTomlString } from '../../skill-facts.ts'

export const MULTILINE_DESCRIPTION: Rule = {
  id: 'schema/multiline-description',
  severity: 'warning',
  what: 'The description has several lines',
  why: 'Listings show one line per skill.',
  example: {
    bad: { 'skill.toml': createExampleToml({ description: '"""Greets\nsomebody."""' }) },
    good: {},
  },
  fix: 'Write it as one line.',
  fixable: 'safe',
  check(skill, report) {
    const description = getToml(skill)?.['description']
    if (typeof description !== 'string' || !/[\r\n]/.test(description.trim())) return
    const joined = description
      .trim()
      .split(/\s*[\r\n]+\s*/)
      .join(' ')
    report({
      ...locateInToml(skill, ['description']),
      message: 'The description has several lines, expected one',
      help: 'Write it as one line',
      edits: replaceTomlValue(skill, ['description'], toTomlString(joined)),
    })
  },
}
