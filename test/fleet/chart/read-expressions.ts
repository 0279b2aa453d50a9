import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

const FOLDER = 'deploy/dashboards'
const WORDS = new Set(['by', 'on', 'group_left', 'and', 'or', 'unless', 'without', 'ignoring'])

/** An expression of Prometheus, and the panel or rule that has it. */
export interface NamedExpression {
  name: string
  expression: string
}

interface Panel {
  title: string
  targets?: { expr: string }[]
}

export function readDashboard(): NamedExpression[] {
  const text = readFileSync(join(FOLDER, 'grafana.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: Panel[] }
  return panels.flatMap(({ title: name, targets = [] }) =>
    targets.map(({ expr }) => ({ name, expression: expr })),
  )
}

export function readRules(): NamedExpression[] {
  const { groups } = parse(readFileSync(join(FOLDER, 'alerts.yaml'), 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[]
  }
  return groups.flatMap(({ rules }) =>
    rules.map(({ alert: name, expr }) => ({ name, expression: expr })),
  )
}

/** Names in an expression that are neither functions nor labels. */
export function listMetricNames(expression: string): string[] {
  const rest = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, '')
    .replaceAll(/\b(?:by|on|without|ignoring|group_left)\s*\([^)]*\)/g, '')
  const names = [...rest.matchAll(/\b([a-z_:]\w*)\b(?!\s*\()/gi)].map(([, name = '']) => name)
  return [...new Set(names.filter((name) => !WORDS.has(name)))]
}

/** Labels that an expression groups by. */
export function listLabels(expression: string): string[] {
  const lists = [...expression.matchAll(/\b(?:by|on)\s*\(([^)]*)\)/g)]
  return [...new Set(lists.flatMap(([, list = '']) => list.split(',').map((each) => each.trim())))]
}
