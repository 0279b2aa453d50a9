import type { ComponentType } from 'preact'
import { Page as SkillsPage } from '../pages/skills/skills-page.tsx'
import type { PageProps } from './page-props.ts'

/** A page: its address, and the file that is loaded when it is opened first. */
export interface PageDefinition {
  id: string
  /** Name in the navigation; pages without one are reached from others. */
  title: string
  isInNavigation: boolean
  /** Key after `g` that opens it. */
  shortcut?: string
  pattern: RegExp
  /** Path of the navigation. */
  path: string
  load(): Promise<{ Page: ComponentType<PageProps> }>
}

export const PAGES: readonly PageDefinition[] = [
  {
    id: 'skills',
    title: 'Skills',
    isInNavigation: true,
    shortcut: 's',
    pattern: /^\/(?:skills)?$/,
    path: '/',
    // Part of the first script: a further request would delay the page that is opened first.
    load: async () => ({ Page: SkillsPage }),
  },
  {
    id: 'skill',
    title: 'Skill',
    isInNavigation: false,
    pattern: /^\/skills\/(?<skill>[^/]+)$/,
    path: '/',
    load: async () => await import('../pages/skill/skill-page.tsx'),
  },
  {
    id: 'runs',
    title: 'Runs',
    isInNavigation: true,
    shortcut: 'r',
    pattern: /^\/runs$/,
    path: '/runs',
    load: async () => await import('../pages/runs/runs-page.tsx'),
  },
  {
    id: 'run',
    title: 'Run',
    isInNavigation: false,
    pattern: /^\/runs\/(?<run>[^/]+)$/,
    path: '/runs',
    load: async () => await import('../pages/run/run-page.tsx'),
  },
  {
    id: 'compare',
    title: 'Compare',
    isInNavigation: false,
    pattern: /^\/compare$/,
    path: '/runs',
    load: async () => await import('../pages/compare/compare-page.tsx'),
  },
  {
    id: 'code',
    title: 'Code',
    isInNavigation: true,
    shortcut: 'c',
    pattern: /^\/code$/,
    path: '/code',
    load: async () => await import('../pages/code/code-page.tsx'),
  },
  {
    id: 'sessions',
    title: 'Sessions',
    isInNavigation: true,
    shortcut: 'e',
    pattern: /^\/sessions$/,
    path: '/sessions',
    load: async () => await import('../pages/sessions/sessions-page.tsx'),
  },
  {
    id: 'session',
    title: 'Session',
    isInNavigation: false,
    pattern: /^\/sessions\/(?<id>[^/]+)$/,
    path: '/sessions',
    load: async () => await import('../pages/sessions/session-page.tsx'),
  },
  {
    id: 'policy',
    title: 'Policy',
    isInNavigation: true,
    shortcut: 'p',
    pattern: /^\/policy$/,
    path: '/policy',
    load: async () => await import('../pages/policy/policy-page.tsx'),
  },
  {
    id: 'audit',
    title: 'Audit',
    isInNavigation: true,
    shortcut: 'a',
    pattern: /^\/audit$/,
    path: '/audit',
    load: async () => await import('../pages/audit/audit-page.tsx'),
  },
  {
    id: 'server',
    title: 'Server',
    isInNavigation: true,
    shortcut: 'v',
    pattern: /^\/server$/,
    path: '/server',
    load: async () => await import('../pages/server-status/server-page.tsx'),
  },
]

/** Finds the page of a path, and the decoded groups of its pattern. */
export function findPage(
  path: string,
): { page: PageDefinition; params: Record<string, string> } | undefined {
  for (const page of PAGES) {
    const found = page.pattern.exec(path)
    if (!found) continue
    const entries = Object.entries(found.groups ?? {}).filter(([, value]) => value !== undefined)
    return {
      page,
      params: Object.fromEntries(entries.map(([name, value]) => [name, decodePart(value)])),
    }
  }
  return undefined
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
