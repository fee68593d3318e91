"""The inboxes of a workspace: messages are delivered once, and wake their recipients."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import RLock

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.entities.sensitive import CONTACT, redact_all, redact_text
from mabos.society.inbox import Inbox, open_inbox
from mabos.society.messages import Message
from mabos.society.protocols import admit
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.directory import CompanyDirectory
from mabos.tools.runtime.once import Once
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

Wake = Callable[[str, bool], None]
"""Called with the agent that has a new message, and whether it is urgent."""


class Mailroom:
    """Delivery of messages; without `colleagues` no agent receives another's, as a simulation may require.

    With `screens`, secrets in a message are redacted before it is stored anywhere.
    """

    def __init__(
        self, directory: CompanyDirectory, sync: Sync, lock: RLock, *, colleagues: bool = True, screens: bool = True
    ) -> None:
        self._directory = directory
        self._has_colleagues = colleagues
        self._screens = screens
        self._stakeholder = Once[Inbox](partial(open_inbox, directory.layout.root, sync), lock)
        self._wakes: list[Wake] = []

    def inbox(self, agent_id: str) -> Inbox:
        """Return the inbox of an agent, or of the stakeholder; raises `UnknownId`."""
        return self._stakeholder() if agent_id == STAKEHOLDER else self._directory.stores_of(agent_id).inbox

    def deliver(self, message: Message) -> Message | None:
        """Put a message in its recipient's inbox, once, and wake the recipient; return the stored one, if new.

        Raises `Refused` if the protocol of its conversation does not allow it.
        """
        if not self._has_colleagues and {message.sender, message.to} <= {*self._directory.agents()}:
            return None
        inbox, message = self.inbox(message.to), self.screen_message(message)
        heard = self.heard(message.sender, message.thread) if message.conversation_id else ()
        new = inbox.deliver(message, heard=heard, admit=admit)
        if new and message.to != STAKEHOLDER:
            self.wake(message.to, urgent=message.priority == "urgent")
        return new

    def screen_message(self, message: Message) -> Message:
        """Return a message in storable form: without secrets, but with contact addresses."""
        metadata = redact_all(message.metadata, CONTACT) if self._screens else message.metadata
        return replace(message, content=self.clean(message.content), metadata=metadata)

    def clean(self, text: str) -> str:
        """Return a text in storable form."""
        return redact_text(text, CONTACT) if self._screens else text

    def heard(self, agent_id: str, conversation_id: str) -> tuple[Message, ...]:
        """Return an agent's received messages in a conversation; nothing for one without an inbox here, as the
        market.
        """
        try:
            return self.inbox(agent_id).thread(conversation_id)
        except (UnknownId, InvalidArgument):
            return ()

    def wake(self, agent_id: str, *, urgent: bool = False) -> None:
        """Notify the agent runner in this process that an agent has something to do."""
        for wake in tuple(self._wakes):
            wake(agent_id, urgent)

    def on_wake(self, wake: Wake) -> Callable[[], None]:
        """Call `wake` for every agent with news, until the returned function is called."""
        self._wakes.append(wake)
        return lambda: self._wakes.remove(wake)

    def stores(self) -> list[Store]:
        """Return every open document outside agents."""
        return [self._stakeholder.found.store] if self._stakeholder.found is not None else []
