// The workspace of a task for a component: followed while it is mounted.
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { useLab } from '../../../data/lab.tsx';
import { createWorkspace, type Workspace, type WorkspaceState } from './workspace.ts';

export function useWorkspace(taskId: string): Workspace {
  const { client } = useLab();
  const [workspace] = useState(() => createWorkspace(client, taskId));
  useEffect(() => workspace.start(), [workspace]);
  return workspace;
}

export function useWorkspaceState<Part>(workspace: Workspace, select: (state: WorkspaceState) => Part): Part {
  return useStore(workspace.store, select);
}
