import type { ComponentChildren } from 'preact'
import { CopyButton } from './copy-button.tsx'

interface EmptyStateProps {
  title: string
  /** Command that changes this. */
  command?: string
  children?: ComponentChildren
}

export function EmptyState({ title, command, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <p>{title}</p>
      {children}
      {command !== undefined && (
        <p>
          <code>{command}</code> <CopyButton text={command} />
        </p>
      )}
    </div>
  )
}
