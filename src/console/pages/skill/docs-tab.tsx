import { changeSearch } from '../../app/location.ts'
import { useMethod } from '../../app/use-method.ts'
import { EmptyState } from '../../components/empty-state.tsx'
import { Loading } from '../../components/loading.tsx'
import { MarkdownView } from '../../components/markdown-view.tsx'
import { listHeadings, type DocumentNode } from '../../models/markdown.ts'
import { nameSkill, type SkillTabProps } from './skill-tab.ts'

/** Documents of the skill, with an outline. */
export function DocsTab({ skill, search }: SkillTabProps) {
  const documents = skill.files.filter((file) => file.is_document).map(({ path }) => path)
  const path = search.get('doc') ?? documents.find((each) => each === 'SKILL.md') ?? documents[0]
  const state = useMethod(
    'read_skill_document',
    path === undefined ? undefined : { ...nameSkill(skill), path },
  )
  if (path === undefined) return <EmptyState title="The skill has no documents." />
  return (
    <div class="docs">
      <nav aria-label="Documents">
        <label for="document">Document</label>
        <select
          id="document"
          value={path}
          onChange={(event) => changeSearch({ doc: event.currentTarget.value })}
        >
          {documents.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </nav>
      <Loading state={state} label={path}>
        {({ tree, path: shown }) => (
          <DocumentView root={tree as unknown as DocumentNode} path={shown} />
        )}
      </Loading>
    </div>
  )
}

function DocumentView({ root, path }: { root: DocumentNode; path: string }) {
  const headings = listHeadings(root)
  return (
    <>
      {headings.length > 2 && (
        <details class="outline">
          <summary>Outline</summary>
          <ul>
            {headings.map(({ text, anchor }) => (
              <li key={anchor}>
                <a href={`#${encodeURIComponent(anchor)}`}>{text}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
      <MarkdownView
        root={root}
        path={path}
        renderFileLink={(target, children) => (
          <a
            href={`?doc=${encodeURIComponent(target)}`}
            onClick={(event) => {
              event.preventDefault()
              if (/\.(?:md|markdown)$/i.test(target)) changeSearch({ doc: target })
              else changeSearch({ tab: 'code', file: target })
            }}
          >
            {children}
          </a>
        )}
      />
    </>
  )
}
